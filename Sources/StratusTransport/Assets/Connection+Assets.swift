import Foundation
public import StratusWire

/// Transfers files. Upload and download addresses contain their own authorisation, so no
/// credentials are sent to them.
extension Connection {
  /// Uploads a file to an upload address, in pieces. After a broken connection the upload continues
  /// where it stopped.
  ///
  /// - Parameter progress: called with the number of bytes that the server has received so far.
  ///   After a broken connection, the number may be smaller than before.
  /// - Returns: the value to store in a field.
  /// - Throws: the reason why the transfer failed. `TransferFailure.file(.changed)` may mean that
  ///   the bytes that the server received differ from the bytes that were read.
  public func upload(
    _ file: OutgoingFile, to address: String, options: Options,
    progress: @Sendable (Int64) -> Void
  ) async throws(TransferFailure) -> Asset {
    let url = try url(of: address)
    var pace = TransferPace(options, timing: timing, pieceBytesMax: pieceBytesMax)
    var offset: Int64 = 0
    var isUncertain = false
    while true {
      let answer: UploadAnswer
      do throws(TransferFailure) {
        if isUncertain {
          answer = try Self.read(
            try await exchangeBytes(
              HTTPRequest(
                method: .get, url: url, body: [], timeoutSeconds: pace.timeoutSeconds,
                totalSeconds: pace.remaining)))
        } else {
          answer = try await sendPiece(of: file, from: offset, to: url, pace)
        }
      } catch {
        try await pace.wait(afterTransfer: error)
        isUncertain = true
        continue
      }
      if let asset = answer.singleFile {
        try Self.compare(asset, with: file)
        progress(file.size)
        return asset
      }
      let received = answer.received ?? -1
      // NB: if the server already has all bytes, the upload is complete, but the response with its
      // result was lost. The address cannot be used again, so the caller must request a new one.
      guard (0..<max(file.size, 1)).contains(received) else { throw .addressExpired }
      if received > offset {
        pace.progress()
      } else if !isUncertain {
        try await pace.wait(afterTransfer: .transport(.stalled))
      }
      isUncertain = false
      offset = received
      progress(received)
    }
  }

  private func sendPiece(
    of file: OutgoingFile, from offset: Int64, to url: URL, _ pace: TransferPace
  ) async throws(TransferFailure) -> UploadAnswer {
    let bytes: [UInt8]
    do { bytes = try file.piece(at: offset, countMax: pace.pieceBytes) } catch {
      throw .file(error)
    }
    var headers = ["Content-Type": "application/octet-stream"]
    // NB: the header `Content-Range` cannot express zero bytes.
    if !bytes.isEmpty {
      let last = offset + Int64(bytes.count) - 1
      headers["Content-Range"] = "bytes \(offset)-\(last)/\(file.size)"
    }
    return try Self.read(
      try await exchangeBytes(
        HTTPRequest(
          url: url, headers: headers, body: bytes, timeoutSeconds: pace.timeoutSeconds,
          totalSeconds: pace.remaining)))
  }

  private static func compare(_ asset: Asset, with file: OutgoingFile) throws(TransferFailure) {
    do throws(FileFailure) {
      let sent = try file.finish()
      guard asset.size == file.size, FileChecksum.bytes(asset.fileChecksum) == sent else {
        throw .changed
      }
    } catch {
      throw .file(error)
    }
  }

  /// Downloads the missing bytes of a file, in pieces.
  ///
  /// - Parameter progress: called with the number of received bytes.
  public func download(
    _ file: IncomingFile, from address: String, options: Options,
    progress: @Sendable (Int64) -> Void
  ) async throws(TransferFailure) {
    // The address contains a placeholder for a file name.
    let url = try url(of: address.replacingOccurrences(of: "${f}", with: "file"))
    var pace = TransferPace(options, timing: timing, pieceBytesMax: pieceBytesMax)
    while file.received < file.size {
      let first = file.received
      let last = min(first + Int64(pace.pieceBytes), file.size) - 1
      let answer: HTTPResponse
      do throws(TransferFailure) {
        answer = try await exchangeBytes(
          HTTPRequest(
            method: .get, url: url,
            // NB: a range of compressed bytes could not be decoded.
            headers: ["Range": "bytes=\(first)-\(last)", "Accept-Encoding": "identity"],
            body: [], timeoutSeconds: pace.timeoutSeconds, totalSeconds: pace.remaining,
            answerBytesMax: pace.pieceBytes + Limits.clientErrorBytesMax))
      } catch {
        try await pace.wait(afterTransfer: error)
        continue
      }
      let bytes = try Self.bytes(of: answer, from: first, to: last, size: file.size)
      do { try file.append(bytes) } catch { throw .file(error) }
      pace.progress()
      progress(file.received)
    }
  }

  /// Returns the requested bytes of a response. A server without support for ranges sends the whole
  /// file. Such a response is accepted if it is only slightly larger than the requested range.
  private static func bytes(
    of answer: HTTPResponse, from first: Int64, to last: Int64, size: Int64
  ) throws(TransferFailure) -> ArraySlice<UInt8> {
    if answer.status == 206 {
      let range = answer.headers["content-range"]
      let isRight =
        range.map { $0.hasPrefix("bytes \(first)-") && $0.hasSuffix("/\(size)") } ?? true
      if isRight, !answer.body.isEmpty, Int64(answer.body.count) <= last - first + 1 {
        return answer.body[...]
      }
    } else if Int64(answer.body.count) == size {
      return answer.body[Int(first)...]
    }
    throw .transport(
      .unreadable(
        status: answer.status, reason: "these are not the requested bytes", retryAfterSeconds: nil))
  }

  /// - Throws: an error unless the server reports success.
  private func exchangeBytes(
    _ request: HTTPRequest
  ) async throws(TransferFailure) -> HTTPResponse {
    if Task.isCancelled { throw .transport(.network(.cancelled)) }
    let answer: HTTPResponse
    do { answer = try await exchange.send(request) } catch { throw .transport(.network(error)) }
    if answer.isTooLarge { throw .transport(.tooLarge(answer)) }
    switch answer.status {
    case 200..<300: return answer
    case 401, 403, 404, 410: throw .addressExpired
    default: throw .transport(Self.failure(of: answer))
    }
  }

  private static func read(_ answer: HTTPResponse) throws(TransferFailure) -> UploadAnswer {
    do throws(TransportFailure) {
      return try parse(UploadAnswer.self, answer)
    } catch {
      throw .transport(error)
    }
  }

  private func url(of fileAddress: String) throws(TransferFailure) -> URL {
    guard let url = URL(string: fileAddress), let scheme = url.scheme?.lowercased() else {
      throw .transport(
        .unreadable(
          status: 200, reason: "'\(fileAddress)' is not a file's address", retryAfterSeconds: nil))
    }
    // NB: a server behind a proxy may not know that clients use https. It then gives http
    // addresses.
    let isSecret = URL(string: address.url)?.scheme?.lowercased() == "https"
    guard !isSecret || scheme == "https" else {
      throw .addressInsecure(
        "the server is called by https, but gives \(scheme) addresses of files; start it with "
          + "--public-url \(address.url)")
    }
    return url
  }
}

extension TransportFailure {
  /// The failure if the server accepts a piece of a file, but then reports that the piece is
  /// missing.
  fileprivate static var stalled: TransportFailure { .network(.lostAfterSending) }
}

extension TransferPace {
  /// Waits until the next attempt.
  ///
  /// - Throws: the failure, if the policy allows no further attempt.
  fileprivate mutating func wait(
    afterTransfer failure: TransferFailure
  ) async throws(TransferFailure) {
    guard case .transport(let cause) = failure else { throw failure }
    do throws(TransportFailure) {
      try await wait(after: cause.isMisplaced ? .network(.lostAfterSending) : cause)
    } catch {
      if case .network(.cancelled) = error { throw .transport(error) }
      throw .transport(cause)
    }
  }
}

extension TransportFailure {
  /// Whether the server expected another offset, because a piece arrived twice or the answer to an
  /// earlier piece was lost.
  public var isMisplaced: Bool {
    switch self {
    case .refused(_, let status, _), .unreadable(let status, _, _): status == 409 || status == 416
    case .network, .accountChanged: false
    }
  }
}
