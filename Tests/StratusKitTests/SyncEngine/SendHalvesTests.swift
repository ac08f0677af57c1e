import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `A batch that is too large for the server` {
  /// Makes the server refuse every request that saves and deletes more than three records.
  private func refuseLarge(in scene: SyncScene) {
    scene.on { script in
      script.records = { saving, deleting in
        var outcome = SyncRecordsOutcome()
        if saving.count + deleting.count > 3 {
          outcome.failedSaves = saving.map { ($0, CKError(.limitExceeded)) }
          outcome.failedDeletes = deleting.map { ($0, CKError(.limitExceeded)) }
        } else {
          outcome.saved = saving
          outcome.deleted = deleting
        }
        return outcome
      }
    }
  }

  @Test func `a batch that is too large for the server is halved until it fits`() async throws {
    let scene = SyncScene()
    refuseLarge(in: scene)
    let engine = scene.engine()
    engine.state.add(
      pendingRecordZoneChanges: ["a", "b", "c", "d", "e"].map { save($0) } + [delete("f")])
    try await engine.sendChanges()
    #expect(
      scene.calls.journal.all == [
        "records +a +b +c +d +e -f", "records +a +b +c", "records +d +e -f",
      ])
    #expect(
      scene.app.events.dropFirst(2) == ["sent +a +b +c +d +e -f", "did send manual"])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `a batch is not halved because of a single record that is too large`() async throws {
    let scene = SyncScene()
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        for record in saving {
          if record.recordID == id("b") {
            outcome.failedSaves.append((record, CKError(.limitExceeded)))
          } else {
            outcome.saved.append(record)
          }
        }
        return outcome
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b"), save("c")])
    let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(error?.partialErrorsByItemID?.count == 1)
    #expect(scene.calls.journal.all.count == 1)
  }
}
