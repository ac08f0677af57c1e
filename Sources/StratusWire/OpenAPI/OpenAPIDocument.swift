/// The description of the clients' API as a document of OpenAPI 3.1.
///
/// The document has one path for each endpoint of a database. The server shows it at
/// `/openapi.json`.
public enum OpenAPIDocument {
  /// The document as JSON text.
  public static let jsonBytes: [UInt8] = {
    var writer = JSONWriter(reserving: 65_536)
    writer.object { writer in
      writer.member("openapi", "3.1.0")
      writer.key("info")
      writer.object { writer in
        writer.member("title", "Stratus")
        writer.member("version", ServerVersion.current)
        writer.member(
          "description",
          "CloudKit Web Services, as Stratus implements them. Bodies are JSON objects. A missing "
            + "member and null mean the same, except in the fields of a record: null removes a "
            + "field, and an update keeps the fields that are missing.")
      }
      writer.key("paths")
      writer.object { writer in
        for row in WireShapes.rows.sorted(by: { $0.path < $1.path }) {
          writer.key("\(prefix)\(row.path)")
          row.write(to: &writer)
        }
      }
      writer.key("components")
      writer.object { writer in
        writer.key("schemas")
        writer.object { writer in
          for schema in WireShapes.schemas {
            writer.key(schema.name)
            schema.shape.write(to: &writer)
          }
        }
        writer.key("parameters")
        writer.object { writer in
          for name in ["container", "environment", "database"] {
            writer.key(name)
            writeParameter(name, "path", isRequired: true, to: &writer)
          }
        }
        writer.key("securitySchemes")
        writer.object { writer in
          for (key, name) in [("apiToken", "ckAPIToken"), ("webAuthToken", "ckWebAuthToken")] {
            writer.key(key)
            writer.object { writer in
              writer.member("type", "apiKey")
              writer.member("in", "query")
              writer.member("name", name)
            }
          }
        }
      }
    }
    return writer.bytes
  }()

  private static let prefix = "/database/1/{container}/{environment}/{database}/"

  private static func writeParameter(
    _ name: String, _ place: String, isRequired: Bool, to writer: inout JSONWriter
  ) {
    let shape =
      switch name {
      case "environment": Shape("Environment")
      case "database": Shape("'public' | 'private' | 'shared'")
      default: Shape.string
      }
    writer.object { writer in
      writer.member("name", name)
      writer.member("in", place)
      writer.member("required", isRequired)
      writer.member("schema", shape)
    }
  }
}

extension WireShapes.Row: JSONWritable {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("parameters")
      writer.array { writer in
        for name in ["container", "environment", "database"] {
          writer.object { $0.member("$ref", "#/components/parameters/\(name)") }
        }
      }
      writer.key("post")
      writer.object { writer in
        writer.member("operationId", path.replacing("/", with: "-"))
        writer.member("summary", summary)
        writer.key("security")
        writer.array { writer in
          for keys in [["apiToken"], ["apiToken", "webAuthToken"]] {
            writer.object { writer in
              for key in keys {
                writer.key(key)
                writer.array { _ in }
              }
            }
          }
        }
        writer.key("requestBody")
        writer.object { writer in Self.writeContent(request, to: &writer) }
        writer.key("responses")
        writer.object { writer in
          writer.key("200")
          writer.object { writer in
            writer.member("description", "The answer.")
            Self.writeContent(answer, to: &writer)
          }
          writer.key("default")
          writer.object { writer in
            writer.member("description", "The error that refused the whole request.")
            Self.writeContent(.reference("Error"), to: &writer)
          }
        }
      }
    }
  }

  private static func writeContent(_ shape: Shape, to writer: inout JSONWriter) {
    writer.key("content")
    writer.object { writer in
      writer.key("application/json")
      writer.object { $0.member("schema", shape) }
    }
  }
}
