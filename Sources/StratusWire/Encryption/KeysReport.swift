/// What `stratus keys show --json` prints.
public struct KeysReport: JSONWritable {
  /// Where this device keeps its keys.
  public var file: String
  /// The keys' fingerprints, newest first.
  public var keys: [String]
  /// The container asked about; nil: none was named.
  public var container: String?
  /// `unused`, `present` or `missing`; nil: nobody was asked.
  public var standing: String?

  public init(
    file: String, keys: [String], container: String? = nil, standing: String? = nil
  ) {
    self.file = file
    self.keys = keys
    self.container = container
    self.standing = standing
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("file", file)
      writer.member("keys", strings: keys)
      writer.member("container", container)
      writer.member("standing", standing)
    }
  }
}
