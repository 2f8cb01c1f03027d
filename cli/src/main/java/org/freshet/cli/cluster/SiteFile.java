/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.cli.cluster;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.apache.hadoop.conf.Configuration;

/**
 * One Hadoop {@code *-site.xml}: properties, and which of them are final.
 *
 * <p>Values are kept raw: {@code ${...}} is neither expanded nor checked. Immutable.
 *
 * @param properties names and raw values
 * @param finals names of the final properties
 * @param sources where properties came from that are not the file's own, by name; Hadoop's {@code
 *     Configuration.getPropertySources} tells it before the file
 */
public record SiteFile(
    Map<String, String> properties, Set<String> finals, Map<String, String> sources) {
  public SiteFile {
    properties = Map.copyOf(properties);
    finals = Set.copyOf(finals);
    sources = Map.copyOf(sources);
  }

  /** A site file with no final property. */
  public static SiteFile of(Map<String, String> properties) {
    return new SiteFile(properties, Set.of(), Map.of());
  }

  /**
   * Reads a site file the way Hadoop does.
   *
   * @return an empty site file if there is none at that path
   */
  public static SiteFile read(Path file) {
    Map<String, String> properties = new TreeMap<>();
    Set<String> finals = new TreeSet<>();
    if (Files.exists(file)) {
      Configuration conf = new Configuration(false);
      conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      for (Iterator<Map.Entry<String, String>> it = conf.iterator(); it.hasNext(); ) {
        String name = it.next().getKey();
        properties.put(name, conf.getRaw(name));
      }
      finals.addAll(conf.getFinalParameters());
    }
    return new SiteFile(properties, finals, Map.of());
  }

  /** This site file with some properties added or replaced; a final property stays final. */
  public SiteFile with(Map<String, String> more) {
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(more);
    return new SiteFile(all, finals, sources);
  }

  /** This site file with a note of where some of its properties came from. */
  public SiteFile withSource(Set<String> names, String source) {
    Map<String, String> all = new TreeMap<>(sources);
    names.forEach(name -> all.put(name, source));
    return new SiteFile(properties, finals, all);
  }

  /**
   * Writes the file, sorted by name.
   *
   * @throws IOException if it cannot be written
   */
  public void write(Path file) throws IOException {
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeCharacters("\n");
      xml.writeStartElement("configuration");
      for (Map.Entry<String, String> property : new TreeMap<>(properties).entrySet()) {
        xml.writeCharacters("\n  ");
        xml.writeStartElement("property");
        writeElement(xml, "name", property.getKey());
        writeElement(xml, "value", property.getValue());
        if (finals.contains(property.getKey())) {
          writeElement(xml, "final", "true");
        }
        if (sources.containsKey(property.getKey())) {
          writeElement(xml, "source", sources.get(property.getKey()));
        }
        xml.writeEndElement();
      }
      xml.writeCharacters("\n");
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.flush();
      out.write('\n');
    } catch (XMLStreamException e) {
      throw new IOException("cannot write " + file, e);
    }
  }

  private static void writeElement(XMLStreamWriter xml, String name, String text)
      throws XMLStreamException {
    xml.writeStartElement(name);
    xml.writeCharacters(text);
    xml.writeEndElement();
  }
}
