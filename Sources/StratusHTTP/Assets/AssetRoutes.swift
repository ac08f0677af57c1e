import HTTPTypes
import StratusDomain
import StratusWire

/// The routes for uploading and downloading the bytes of assets.
///
/// A client needs only the URL of an asset to upload or download it. Other credentials in the
/// request are ignored.
struct AssetRoutes: Sendable {
  /// An answer without the header fields that all answers have.
  struct Answer {
    var status = HTTPResponse.Status.ok
    var fields = HTTPFields()
    var body: AnswerBody
  }

  let uploads: AssetUploads
  let downloads: AssetDownloads

  /// Receives bytes of a file, or reports how many bytes have arrived.
  func upload(
    _ ticket: String, _ request: HTTPRequest, _ body: any SentBody, _ caller: Caller
  ) async throws(ServerError) -> Answer {
    switch request.method {
    case .get: return Answer(try await uploads.progress(of: ticket))
    case .post, .put: break
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    let piece = try ByteRanges.piece(request.headerFields[.contentRange])
    var pieces = body.pieces()
    // NB: if the content type is not that of a form, the body is the file itself. curl sends the
    // type `application/x-www-form-urlencoded` with every body, so this type does not count as a
    // form.
    let contentType = request.headerFields[.contentType]
    if let boundary = try Multipart.boundary(ofContentType: contentType) {
      if piece != nil { throw .badRequest("a piece of a file must not be sent as a form") }
      pieces = Multipart(pieces, boundary: boundary)
    }
    let outcome = try await uploads.receive(ticket, piece: piece) { () throws(ServerError) in
      try await pieces.next()
    }
    switch outcome {
    case .answer(let answer): return Answer(answer)
    case .wrongOffset(let received):
      let error = ServerError(.conflict, Reason.assetPieceAtWrongOffset)
      return Answer(
        UploadAnswer(received: received, error: error.dictionary(for: caller)),
        status: error.status)
    }
  }

  /// Sends a file or a part of it.
  func download(
    _ ticket: String, _ request: HTTPRequest, _ caller: Caller
  ) async throws(ServerError) -> Answer {
    switch request.method {
    case .get, .head: break
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    let (file, checksum) = try await downloads.file(ticket)
    let tag = "\"\(checksum)\""
    var answer = Answer(
      fields: Self.fields(tag),
      body: .file(file, 0..<file.size, subscriber: caller.subscriber))
    let asked = request.headerFields
    if let wanted = asked[.ifMatch], !Self.matches(wanted, tag) {
      throw ServerError(.validatingReferenceError, Reason.assetChanged)
    }
    if let known = asked[.ifNoneMatch], Self.matches(known, tag) {
      answer.status = .notModified
      answer.body = .absent(size: file.size)
      return answer
    }
    if request.method == .head {
      answer.body = .absent(size: file.size)
      return answer
    }
    // If the client already has a part of a different file, it needs the whole file.
    let isSame = asked[.ifRange].map { $0 == tag } ?? true
    switch ByteRanges.request(isSame ? asked[.range] : nil, size: file.size) {
    case .whole: break
    case .part(let range):
      answer.status = .partialContent
      answer.fields[.contentRange] =
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
      answer.body = .file(file, range, subscriber: caller.subscriber)
    case .unsatisfiable:
      answer.status = .rangeNotSatisfiable
      answer.fields[.contentRange] = "bytes */\(file.size)"
      answer.body = .bytes([])
    }
    return answer
  }

  /// NB: the bytes at a URL never change, so a client may cache them. The fields also prevent
  /// browsers from showing uploaded bytes as a page of this server.
  private static func fields(_ tag: String) -> HTTPFields {
    [
      .contentType: "application/octet-stream", .eTag: tag, .acceptRanges: "bytes",
      .cacheControl: "private, max-age=3600, immutable",
      .xContentTypeOptions: "nosniff", .contentDisposition: "attachment",
      .contentSecurityPolicy: Router.emptyPolicy + "; sandbox",
    ]
  }

  /// Whether a list of entity tags contains this tag or `*`. Weak tags also match, because a file
  /// has only one representation.
  private static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let strong = item.hasPrefix("W/") ? item.dropFirst(2) : item
      return strong == "*" || strong.prefix(tag.count) == tag
    }
  }
}

extension AssetRoutes.Answer {
  init(_ answer: UploadAnswer, status: HTTPResponse.Status = .ok) {
    self.init(status: status, body: .bytes(answer.jsonBytes))
  }
}
