import CloudKit
import Testing

@Suite struct ErrorIdioms {
  private func fail(_ code: CKError.Code, _ userInfo: [String: Any] = [:]) throws {
    throw CKError(code, userInfo: userInfo)
  }

  private func failure(_ code: Int) -> Error { NSError(domain: CKErrorDomain, code: code) }

  @Test func `an NSError of CKErrorDomain can be cast to CKError`() {
    #expect((failure(26) as? CKError)?.code == .zoneNotFound)
    #expect((NSError(domain: CKErrorDomain, code: 11) as Error as? CKError)?.code == .unknownItem)
    #expect(NSError(domain: "other", code: 11) as Error as? CKError == nil)
    #expect(CKError(_nsError: NSError(domain: CKErrorDomain, code: 3)).code == .networkUnavailable)
    #expect((CKError(.zoneBusy) as NSError).code == 23)
    #expect((CKError(.zoneBusy) as NSError).domain == "CKErrorDomain")
    #expect(CKError(CKError.Code.quotaExceeded).errorCode == 25)
  }

  @Test func `a switch over CKError codes compiles with an unknown default`() {
    let error = failure(CKError.Code.networkFailure.rawValue)
    var isRetryable = false
    if let error = error as? CKError {
      switch error.code {
      case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited:
        isRetryable = true
      case .partialFailure:
        isRetryable = error.partialErrorsByItemID?.isEmpty == false
      default:
        isRetryable = false
      }
    }
    #expect(isRetryable)
  }

  @Test func `errors match the catch patterns of apps`() {
    var caught: [String] = []
    do { try fail(.zoneNotFound) } catch CKError.zoneNotFound { caught.append("code") } catch {}
    do { try fail(.unknownItem) } catch CKError.zoneNotFound {} catch let error as CKError
      where error.code == .unknownItem
    { caught.append("where") } catch {}
    do { throw failure(14) } catch let error as CKError { caught.append("\(error.code)") } catch {}
    do { throw failure(20) } catch CKError.operationCancelled { caught.append("NSError") } catch {}
    #expect(caught == ["code", "where", "serverRecordChanged", "NSError"])
  }

  @Test func `an error's details are available through its properties and its keys`() {
    let id = CKRecord.ID(recordName: "a")
    let record = CKRecord(recordType: "Note", recordID: id)
    let conflict = CKError(
      .serverRecordChanged,
      userInfo: [
        CKRecordChangedErrorServerRecordKey: record,
        CKRecordChangedErrorClientRecordKey: record,
        CKRecordChangedErrorAncestorRecordKey: record,
        CKErrorRetryAfterKey: NSNumber(value: 2.5),
      ])
    #expect(conflict.serverRecord === record)
    #expect(conflict.clientRecord === record)
    #expect(conflict.ancestorRecord === record)
    #expect(conflict.retryAfterSeconds == 2.5)
    let partial = CKError(
      .partialFailure,
      userInfo: [CKPartialErrorsByItemIDKey: [id as AnyHashable: conflict as Error]])
    let seen = partial as NSError
    #expect((partial.partialErrorsByItemID?[id] as? CKError)?.code == .serverRecordChanged)
    #expect((seen.userInfo[CKPartialErrorsByItemIDKey] as? NSDictionary)?.count == 1)
    let again = (seen as Error as? CKError)?.partialErrorsByItemID?[id] as? CKError
    #expect(again?.serverRecord === record)
    #expect(CKError(.internalError).retryAfterSeconds == nil)
  }

  @Test func `error numbers and keys equal Apple's`() {
    let codes: [(CKError.Code, Int)] = [
      (.internalError, 1), (.partialFailure, 2), (.badContainer, 5), (.notAuthenticated, 9),
      (.permissionFailure, 10), (.invalidArguments, 12), (.resultsTruncated, 13),
      (.serverRecordChanged, 14), (.changeTokenExpired, 21), (.batchRequestFailed, 22),
      (.limitExceeded, 27), (.userDeletedZone, 28), (.referenceViolation, 31),
      (.serverResponseLost, 34), (.accountTemporarilyUnavailable, 36),
      (.participantAlreadyInvited, 37),
    ]
    for (code, number) in codes { #expect(code.rawValue == number) }
    #expect(CKPartialErrorsByItemIDKey == "CKPartialErrors")
    #expect(CKErrorRetryAfterKey == "CKRetryAfter")
    #expect(CKErrorUserDidResetEncryptedDataKey == "CKUserDidResetEncryptedData")
    #expect(CKRecordChangedErrorServerRecordKey == "ServerRecord")
  }

  @Test func `every CKError has a description`() {
    let bare: any Error = CKError(.quotaExceeded)
    let apples = "The operation couldn\u{2019}t be completed. (CKErrorDomain error 25.)"
    #expect(bare.localizedDescription == apples)
    #expect((bare as NSError).localizedDescription == apples)
    #expect(CKError(.quotaExceeded).localizedDescription == apples)
    #expect(CKError(.quotaExceeded).userInfo.isEmpty)
    #expect((bare as NSError) as? CKError == CKError(.quotaExceeded))
    #expect("\(bare)" == #"<CKError: "Quota Exceeded" (25)>"#)
    let error = CKError(.internalError, userInfo: [NSLocalizedDescriptionKey: "just so"])
    #expect(error.localizedDescription == "just so")
    #expect((error as Error).localizedDescription == "just so")
  }
}
