import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct ServerErrors {
  private static func error(_ code: ErrorCode, _ reason: String = "other") -> ErrorDictionary {
    ErrorDictionary(code: code, reason: reason, uuid: "u-1")
  }

  @Test(arguments: [
    (ErrorCode.accessDenied, 10), (.atomicError, 22), (.authenticationFailed, 9),
    (.authenticationRequired, 9), (.badRequest, 12), (.conflict, 14), (.exists, 14),
    (.internalError, 1), (.notFound, 11), (.quotaExceeded, 25), (.throttled, 7),
    (.tryAgainLater, 6), (.validatingReferenceError, 31), (.zoneNotFound, 26),
  ])
  func `each server code maps to its CKError code`(code: ErrorCode, number: Int) {
    #expect(CKError(Self.error(code)).errorCode == number)
  }

  @Test(arguments: [
    (Reason.syncTokenExpired, CKError.Code.changeTokenExpired),
    (Reason.syncTokenInvalid, .changeTokenExpired),
    (Reason.batchTooLarge, .limitExceeded), (Reason.requestTooLarge, .limitExceeded),
    (Reason.recordTooLarge, .limitExceeded), (Reason.customZoneInPublic, .badDatabase),
    (Reason.endpointInPublic, .badDatabase), (Reason.endpointInShared, .badDatabase),
    (Reason.recordExists, .serverRecordChanged), (Reason.conflict, .serverRecordChanged),
    ("Did not find record type: Party", .unknownItem),
    (Reason.containerNotFound, .badContainer), (Reason.duplicateRecord, .invalidArguments),
  ])
  func `a reason that is more specific than the server code decides the CKError code`(
    reason: String, code: CKError.Code
  ) {
    #expect(CKError(Self.error(.badRequest, reason)).code == code)
  }

  @Test func `a CKError contains the retry delay, the reason and the occurrence ID`() {
    let error = CKError(
      ErrorDictionary(
        code: .throttled, reason: "slowly", uuid: "u-1", retryAfterSeconds: 30))
    #expect(error.retryAfterSeconds == 30)
    #expect(error.userInfo[CKErrorRetryAfterKey] is NSNumber)
    #expect(error.localizedDescription == "slowly")
    #expect(error.userInfo["RequestUUID"] as? String == "u-1")
    #expect(CKError(Self.error(.throttled), retryAfterSeconds: 1.5).retryAfterSeconds == 1.5)
    #expect(CKError(Self.error(.throttled)).retryAfterSeconds == nil)
  }

  @Test
  func `the server's reason is in the description of a CKError, also after a cast to NSError`() {
    let error: any Error = CKError(
      ErrorDictionary(code: .throttled, reason: "slowly", uuid: "u-1", retryAfterSeconds: 30))
    #expect(error.localizedDescription == "slowly")
    #expect((error as NSError).localizedDescription == "slowly")
    #expect(
      "\(error)"
        == #"<CKError: "Request Rate Limited" (7); "slowly"; retry after 30.0 s; uuid = u-1>"#)
    #expect((error as? CKError)?.userInfo["ServerErrorDescription"] as? String == "slowly")
    let silent = CKError(Self.error(.notFound, ""))
    #expect(silent.localizedDescription == "The item does not exist.")
  }

  @Test func `an error that the framework creates describes its code`() {
    let error: any Error = CKError(.operationCancelled)
    #expect(error.localizedDescription == "The operation was cancelled.")
    #expect("\(error)".contains("The operation was cancelled."))
  }

  @Test func `a partial failure describes how many items failed, and the first reason`() {
    var errors = ItemErrors()
    errors.add(CKError(.unknownItem), for: "a")
    let one: any Error = errors.partialFailure ?? CKError(.internalError)
    #expect(
      one.localizedDescription == "One item failed. The first reason: The item does not exist.")
    #expect("\(one)".contains(#"a = <CKError: "Unknown Item" (11)"#))
    for number in 0..<20 { errors.add(CKError(.unknownItem), for: number) }
    let many = errors.partialFailure
    #expect(many?.localizedDescription.hasPrefix("21 items failed.") == true)
    #expect(many?.description.contains("11 more") == true)
  }

  @Test func `an authentication error names the settings and the server's reason`() {
    let refused = CKError(Self.error(.authenticationRequired, "request needs authorization"))
    let signedOut = refused.explained(hasUser: false)
    #expect(signedOut.code == .notAuthenticated)
    #expect(signedOut.localizedDescription.contains("STRATUS_WEB_AUTH_TOKEN"))
    #expect(signedOut.localizedDescription.hasPrefix("Nobody is signed in."))
    #expect(signedOut.localizedDescription.contains("request needs authorization"))
    let ended = refused.explained(hasUser: true)
    #expect(ended.localizedDescription.hasPrefix("The sign-in is not accepted"))
    #expect(CKError.notSignedIn.localizedDescription.contains("STRATUS_WEB_AUTH_TOKEN"))
    let other = CKError(.unknownItem)
    #expect(other.explained(hasUser: false) == other)
  }

  @Test
  func `a conflict error contains the client's record, its ancestor and the server's record`()
    throws
  {
    let client = try WireRecords.note(fields: ["a": .int64(1)])
    client["a"] = 2
    let failure = RecordFailure(
      recordName: "note-1", error: Self.error(.conflict, Reason.conflict),
      serverRecord: WireRecords.dictionary(fields: ["a": .int64(3)], tag: "tag-9"))
    let error = CKError(failure, saving: client, naming: WireRecords.naming)
    #expect(error.code == .serverRecordChanged)
    #expect(error.clientRecord === client)
    #expect(error.ancestorRecord?["a"] as? Int == 1)
    #expect(error.serverRecord?["a"] as? Int == 3)
    #expect(error.serverRecord?.recordChangeTag == "tag-9")
    let seen = error as NSError as any Error
    #expect((seen as? CKError)?.serverRecord?.recordChangeTag == "tag-9")
  }

  @Test(arguments: [
    (NetworkFailure.notConnected, true, CKError.Code.networkUnavailable),
    (.lostBeforeSending, false, .networkFailure), (.timedOut, false, .networkFailure),
    (.lostAfterSending, false, .serverResponseLost), (.lostAfterSending, true, .networkFailure),
    (.cancelled, false, .operationCancelled),
  ])
  func `each kind of missing answer maps to its own CKError code`(
    failure: NetworkFailure, isIdempotent: Bool, code: CKError.Code
  ) {
    #expect(CKError(.network(failure), isIdempotent: isIdempotent).code == code)
  }

  @Test func `a network error names the server's address`() {
    let url = "http://stratus.example:8080"
    let error = CKError(.network(.lostBeforeSending), isIdempotent: true, url: url)
    #expect(error.localizedDescription == "the server at \(url) cannot be reached")
    let nameless = CKError(.network(.timedOut), isIdempotent: true)
    #expect(nameless.localizedDescription == "the server did not answer in time")
  }

  @Test(arguments: [
    (401, CKError.Code.notAuthenticated), (403, .permissionFailure), (413, .limitExceeded),
    (429, .requestRateLimited), (503, .serviceUnavailable), (502, .serviceUnavailable),
    (500, .internalError), (404, .serverRejectedRequest), (200, .internalError),
  ])
  func `an unreadable answer maps to a CKError code by its HTTP status`(
    status: Int, code: CKError.Code
  ) {
    let error = CKError(
      .unreadable(status: status, reason: "no JSON", retryAfterSeconds: 4), isIdempotent: true)
    #expect(error.code == code)
    #expect(error.retryAfterSeconds == 4)
  }

  @Test(arguments: [409, 416])
  func `a refused file range is not reported as a record conflict`(status: Int) {
    let dictionary = Self.error(.conflict)
    let refused = TransportFailure.refused(dictionary, status: status, retryAfterSeconds: nil)
    #expect(CKError(uploading: .transport(refused)).code == .networkFailure)
    let unreadable = TransportFailure.unreadable(
      status: status, reason: "no JSON", retryAfterSeconds: nil)
    #expect(CKError(uploading: .transport(unreadable)).code == .networkFailure)
  }

  @Test func `a user key that keeps changing is not reported as a record conflict`() {
    let failure = TransportFailure.refused(
      Self.error(.conflict, Reason.userKeyChanged), status: 409, retryAfterSeconds: 2)
    let error = CKError(KeyFailure.transport(failure))
    #expect(error.code == .serviceUnavailable)
    #expect(error.retryAfterSeconds == 2)
    #expect(error.localizedDescription == Reason.userKeyChanged)
  }

  @Test func `CKError has thirty-seven codes`() {
    #expect(CKError.Code.allCases.map(\.rawValue) == Array(1...37))
  }
}
