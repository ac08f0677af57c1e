import StratusWire
import Testing

@testable import StratusKit

/// See docs/internals/encryption.md, "The place of a record".
@Suite struct `A batch with values whose keys the server refuses` {
  private func batch(isAtomic: Bool) throws -> PreparedBatch {
    let items = ["a", "b", "c"].map { RecordBatch.Item.save(note($0), .ifServerRecordUnchanged) }
    let batch = try #require(try RecordBatch.plan(items).first)
    return PreparedBatch(batch, isAtomic: isAtomic, scope: .private)
  }

  private func failure(
    _ name: String, _ code: ErrorCode, _ reason: String, root: String? = nil
  ) -> RecordItem {
    .failure(
      RecordFailure(
        recordName: name, error: refusal(code, reason), sealingRootRecordName: root))
  }

  private func misplaced(_ name: String, root: String?) -> RecordItem {
    failure(name, .tryAgainLater, Reason.sealedElsewhere, root: root)
  }

  @Test func `only the refused records are sent again if the batch is not atomic`() throws {
    var batch = try batch(isAtomic: false)
    let positions = batch.misplaced(
      in: [
        misplaced("a", root: "root"), failure("b", .conflict, Reason.conflict),
        misplaced("c", root: nil),
      ], isAtomic: false)
    #expect(positions == [0, 2])
    #expect(batch.hasFailed)
    #expect(batch.namedPlaces == [ExactKey("a"): ExactKey("root"), ExactKey("c"): ExactKey(nil)])
  }

  @Test func `an atomic batch is sent again as a whole`() throws {
    var batch = try batch(isAtomic: true)
    let atomic = Reason.atomicError
    let positions = batch.misplaced(
      in: [
        failure("a", .atomicError, atomic), misplaced("b", root: "root"),
        failure("c", .atomicError, atomic),
      ], isAtomic: true)
    #expect(positions == [0, 1, 2])
    #expect(!batch.hasFailed)
  }

  @Test func `an atomic batch with another error is not sent again`() throws {
    for other in [
      failure("a", .accessDenied, Reason.accessDenied), .deleted(Tombstone(recordName: "a")),
    ] {
      var batch = try batch(isAtomic: true)
      let positions = batch.misplaced(
        in: [
          other, misplaced("b", root: "root"), failure("c", .atomicError, Reason.atomicError),
        ], isAtomic: true)
      #expect(positions == [])
    }
  }
}
