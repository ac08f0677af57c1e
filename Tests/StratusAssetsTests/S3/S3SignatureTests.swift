import Foundation
import Testing

@testable import StratusAssets

/// The examples of the Amazon S3 API Reference, *Signature Calculations for the Authorization
/// Header* and *Authenticating Requests: Using Query Parameters*.
@Suite struct S3Signatures {
  private static let signature = S3Signature(
    credentials: S3Credentials(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", time: 1_369_353_600_000)

  private static let host = (name: "host", value: "examplebucket.s3.amazonaws.com")

  struct Example: Sendable, CustomTestStringConvertible {
    let title: String
    let method: String
    let path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body = ""
    let signature: String

    var testDescription: String { title }
  }

  static let examples = [
    Example(
      title: "get object", method: "GET", path: "/test.txt",
      headers: [(name: "range", value: "bytes=0-9")],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      title: "put object", method: "PUT", path: "/test%24file.text",
      headers: [
        (name: "date", value: "Fri, 24 May 2013 00:00:00 GMT"),
        (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
      ], body: "Welcome to Amazon S3.",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      title: "get lifecycle", method: "GET", path: "/", query: [(name: "lifecycle", value: "")],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      title: "list objects", method: "GET", path: "/",
      query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: examples)
  func `a request gets the signature of Amazon's example`(_ example: Example) throws {
    let fields = Self.signature.signedHeaders(
      method: example.method, path: example.path, query: example.query,
      headers: example.headers + [Self.host],
      payloadHash: S3Signature.hash(Array(example.body.utf8)))
    let field = try #require(fields.first { $0.name == "authorization" }).value
    #expect(field.hasSuffix("Signature=" + example.signature))
    #expect(
      field.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"))
  }

  @Test func `a presigned URL has the query of Amazon's example`() {
    let query = Self.signature.signedQuery(
      method: "GET", path: "/test.txt", query: [], host: Self.host.value, seconds: 86_400)
    let expected = [
      "X-Amz-Algorithm=AWS4-HMAC-SHA256",
      "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
      "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
      "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    ]
    #expect(query == expected.joined(separator: "&"))
  }

  @Test func `a presigned URL is valid for at most seven days`() {
    let query = Self.signature.signedQuery(
      method: "GET", path: "/test.txt", query: [], host: Self.host.value, seconds: .max)
    #expect(query.contains("&X-Amz-Expires=604800&"))
  }
}

/// The address of the option `--assets`.
@Suite struct S3Locations {
  @Test func `an S3 address without an endpoint means Amazon S3`() throws {
    let location = try S3Location("s3://my-bucket/a/b/?region=eu-central-1")
    #expect(location.host == "my-bucket.s3.eu-central-1.amazonaws.com")
    #expect(location.scheme == "https")
    #expect(location.path(ofKey: location.key("x")) == "/a/b/x")
    #expect(location.place == "s3://my-bucket/a/b")
  }

  @Test func `a request to a custom S3 endpoint has the bucket in its path`() throws {
    let location = try S3Location("s3://assets?endpoint=http://127.0.0.1:9000")
    #expect(location.host == "127.0.0.1:9000")
    #expect(location.path(ofKey: location.key("x")) == "/assets/x")
    #expect(location.path(ofKey: nil) == "/assets")
    #expect(location.region == "us-east-1")
  }

  @Test func `with path-style=no, a custom S3 endpoint has the bucket in its host name`() throws {
    let location = try S3Location(
      "s3://assets?endpoint=https://s3.example.org:443&path-style=no")
    #expect(location.host == "assets.s3.example.org")
    #expect(location.path(ofKey: "x") == "/x")
    #expect(location.path(ofKey: nil) == "/")
  }

  @Test(arguments: [
    "", "http://assets", "s3://", "s3://Assets", "s3://as", "s3://a..b", "s3://-assets",
    "s3://user:password@assets", "s3://assets:80", "s3://assets/../other", "s3://assets/a%20b",
    "s3://assets?color=red", "s3://assets?region=", "s3://assets?region=a/b",
    "s3://assets?path-style=maybe", "s3://assets?presigned-downloads=maybe",
    "s3://assets?endpoint=ftp://host",
    "s3://assets?endpoint=https://user@host", "s3://assets?endpoint=https://host/path",
    "s3://assets?endpoint=http://storage.example.org",
  ])
  func `an S3 address that cannot be used is refused`(text: String) {
    #expect(throws: S3Location.Fault.self) { try S3Location(text) }
  }

  @Test func `files are downloaded from S3 only with presigned-downloads=yes`() throws {
    #expect(try S3Location("s3://assets?presigned-downloads=yes").presignsDownloads)
    #expect(try !S3Location("s3://assets?presigned-downloads=no").presignsDownloads)
    #expect(try !S3Location("s3://assets").presignsDownloads)
  }

  @Test func `with plaintext=yes, an S3 endpoint on another machine needs no TLS`() throws {
    let text = "s3://assets?endpoint=http://storage.example.org&plaintext=yes"
    #expect(try S3Location(text).host == "storage.example.org")
  }
}

/// The credentials of S3.
@Suite struct S3CredentialSources {
  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-credentials-\(UInt64.random(in: 0 ... .max))")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try body(file.path)
  }

  @Test func `S3 credentials come from the environment`() throws {
    let source = S3CredentialSource(environment: [
      "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B", "AWS_SESSION_TOKEN": "C",
    ])
    #expect(
      try source.current()
        == S3Credentials(accessKeyID: "A", secretAccessKey: "B", sessionToken: "C"))
    #expect(source.file == nil)
  }

  @Test
  func `S3 credentials come from a section of a file, which is read again to renew them`() throws {
    let text = """
      # a comment
      [default]
      aws_access_key_id = A
      aws_secret_access_key = B/=

      [other]
      aws_access_key_id=C
      aws_secret_access_key=D
      """
    try withFile(text) { path in
      let source = S3CredentialSource(environment: ["AWS_SHARED_CREDENTIALS_FILE": path])
      #expect(try source.current() == S3Credentials(accessKeyID: "A", secretAccessKey: "B/="))
      try Data(text.replacing("B/=", with: "E").utf8).write(to: URL(fileURLWithPath: path))
      #expect(try source.current().secretAccessKey == "B/=")
      #expect(try source.renewed().secretAccessKey == "E")
      let other = S3CredentialSource(
        environment: ["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "other"])
      #expect(try other.current() == S3Credentials(accessKeyID: "C", secretAccessKey: "D"))
    }
  }

  @Test func `the error about missing S3 credentials says what to set`() throws {
    for environment in [[:], ["AWS_ACCESS_KEY_ID": "A"], ["HOME": "/nowhere"]] {
      let error = #expect(throws: S3Credentials.Fault.self) {
        try S3CredentialSource(environment: environment).current()
      }
      #expect(error?.description.contains("AWS_SECRET_ACCESS_KEY") == true)
    }
  }
}

/// The stored state of an upload.
@Suite struct S3UploadStates {
  private static let state = S3UploadState(
    writer: "W", multipart: .init(key: "a/b.c", id: "ID~1"),
    parts: [.init(tag: "\"aa-1\"", size: 7), .init(tag: "\"bb\"", size: 9)])

  @Test func `a stored upload state can be read, and its tail may contain any bytes`() throws {
    let bytes = Self.state.bytes(tail: [10, 10, 0])
    let (state, start) = try #require(S3UploadState.read(bytes))
    #expect(Array(bytes[start...]) == [10, 10, 0])
    #expect(state.received == 19)
    #expect(state.writer == "W")
    #expect(state.multipart == Self.state.multipart)
    #expect(state.parts == Self.state.parts)
  }

  @Test(arguments: [
    "", "\n", "writer W\n\n", "tail 0\n\n", "writer W\ntail -1\n\n", "writer W\ntail 0\n",
    "writer W\npart x 0\ntail 0\n\n", "writer W\ncolor red\ntail 0\n\n",
  ])
  func `malformed bytes are not read as an upload state`(text: String) {
    #expect(S3UploadState.read(Array(text.utf8)) == nil)
  }
}

/// The times in S3's answers.
@Suite struct S3Times {
  @Test func `the times in S3's header fields and lists are read`() {
    #expect(S3Time.ofHeader("Fri, 24 May 2013 00:00:00 GMT") == 1_369_353_600_000)
    #expect(S3Time.ofList("2013-05-24T00:00:00.123Z") == 1_369_353_600_000)
  }

  @Test(arguments: ["", "now", "2013-05-24", "2013-13-24T00:00:00Z", "Fri, 24 Foo 2013 0:0:0 GMT"])
  func `a malformed text is not read as a time of S3`(text: String) {
    #expect(S3Time.ofHeader(text) == nil)
    #expect(S3Time.ofList(text) == nil)
  }
}

/// The XML of S3's answers.
@Suite struct S3Elements {
  @Test func `the elements, texts and entities of S3's XML are read`() throws {
    let text = """
      <?xml version="1.0"?><List xmlns="x"><A>1 &amp; &#50;&#x33;</A><B/><A><C>&lt;</C></A></List>
      """
    let root = try #require(S3Element(Array(text.utf8)))
    #expect(root.name == "List")
    #expect(root["A"] == "1 & 23")
    #expect(root["B"] == "")
    #expect(root.all("A").last?["C"] == "<")
    #expect(root["D"] == nil)
  }

  @Test(arguments: [
    "", "text", "<A>", "<A></B>", "</A>", "<A", "<>", "<A></A><B></B>",
    String(repeating: "<A>", count: 100_000),
  ])
  func `a malformed XML document of S3 is not read`(text: String) {
    #expect(S3Element(Array(text.utf8)) == nil)
  }
}
