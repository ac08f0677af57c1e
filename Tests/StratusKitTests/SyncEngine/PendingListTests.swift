import Testing

@testable import StratusKit

@Suite struct `The list of pending changes` {
  private typealias Change = CKSyncEngine.PendingRecordZoneChange

  private func list(_ changes: [Change]) -> [Change] {
    var state = SyncState()
    for change in changes { state.add([change]) }
    return state.records.elements
  }

  @Test func `the list of pending changes has each change once, in order of arrival`() {
    #expect(list([save("A"), save("B"), save("A")]) == [save("A"), save("B")])
    #expect(list([save("A"), delete("A")]) == [delete("A")])
    #expect(list([delete("A"), save("A")]) == [save("A")])
    #expect(list([save("A"), save("B"), delete("A")]) == [save("B"), delete("A")])
    #expect(list([save("A"), save("A", in: zoneY)]) == [save("A"), save("A", in: zoneY)])
  }

  @Test func `the list of pending changes compares record names by their bytes`() {
    #expect(list([save("\u{E9}"), save("e\u{301}")]).count == 2)
  }

  @Test
  func `a newer pending change of a zone replaces the older pending change of the zone`() {
    var state = SyncState()
    let zone = CKRecordZone(zoneID: zoneZ)
    let again = CKRecordZone(zoneID: zoneZ)
    state.add([.saveZone(zone), .saveZone(CKRecordZone(zoneID: zoneY)), .saveZone(again)])
    #expect(state.zones.elements == [.saveZone(zone), .saveZone(CKRecordZone(zoneID: zoneY))])
    if case .saveZone(let kept)? = state.zones.elements.first { #expect(kept === again) }
    state.add([.deleteZone(zoneZ)])
    #expect(state.zones.elements == [.saveZone(CKRecordZone(zoneID: zoneY)), .deleteZone(zoneZ)])
  }

  @Test
  func `the list of pending changes removes only changes that are equal to the given changes`() {
    var state = SyncState()
    state.add([save("A"), delete("B")])
    let before = state.revision
    state.remove([delete("A"), save("B"), save("C")])
    #expect(state.records.count == 2)
    #expect(state.revision == before)
    state.remove([save("A")])
    #expect(state.records.elements == [delete("B")])
    #expect(state.revision > before)
  }

  @Test func `a pending change that is added again after its batch began is kept`() {
    var state = SyncState()
    state.add([save("A"), save("B")])
    let batch = state.beginBatch()
    state.add([save("A")])
    state.settle([save("A"), save("B")], batch: batch, handedOver: batch)
    #expect(state.records.elements == [save("A")])
    let next = state.beginBatch()
    state.settle([save("A")], batch: next, handedOver: next)
    #expect(state.records.isEmpty)
  }

  @Test func `a pending deletion that is added during the record's save is kept`() {
    var state = SyncState()
    state.add([save("A")])
    let batch = state.beginBatch()
    state.add([delete("A")])
    state.settle([save("A")], batch: batch, handedOver: batch)
    #expect(state.records.elements == [delete("A")])
  }

  @Test func `the list of pending changes equals a simple array after many changes`() {
    var state = SyncState()
    var model: [Change] = []
    var number: UInt32 = 1
    for _ in 0..<5_000 {
      number = number &* 1_664_525 &+ 1_013_904_223
      let name = "r\(number >> 16 & 127)"
      let change = number >> 30 & 1 == 0 ? save(name) : delete(name)
      if number >> 28 & 3 == 0 {
        state.remove([change])
        model.removeAll { $0 == change }
      } else {
        state.add([change])
        if !model.contains(change) {
          model.removeAll { $0.recordID == change.recordID }
          model.append(change)
        }
      }
    }
    #expect(state.records.elements == model)
    #expect(state.records.count == model.count)
  }

  /// Adds and removes entries at the front, in the middle and at the end. Compares the list with an
  /// array after each step.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the list of pending changes has the right order after any sequence of changes`(seed: UInt64)
  {
    var number = seed
    func below(_ bound: Int) -> Int {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(number >> 33) % bound
    }
    var state = SyncState()
    var model: [Change] = []
    var next = 0
    for _ in 0..<200 {
      switch below(7) {
      case 0:
        for _ in 0...below(300) {
          next += 1
          model.append(save("r\(next)"))
          state.add([save("r\(next)")])
        }
      case 1:
        let front = model.prefix(below(200))
        state.remove(Array(front))
        model.removeFirst(front.count)
      case 2 where !model.isEmpty:
        let place = below(model.count)
        state.remove([model[place]])
        model.remove(at: place)
      case 3 where !model.isEmpty: state.add([model[below(model.count)]])
      case 4 where !model.isEmpty:
        let other: Change =
          switch model.remove(at: below(model.count)) {
          case .saveRecord(let recordID): .deleteRecord(recordID)
          case .deleteRecord(let recordID): .saveRecord(recordID)
          }
        model.append(other)
        state.add([other])
      case 5 where !model.isEmpty:
        let front = model.prefix(below(50))
        model = Array(model.dropFirst(front.count) + front)
        state.putLast(Array(front))
      default: break
      }
      #expect(state.orderedRecords() == model, "seed \(seed)")
    }
  }

  /// Each call of `elements(of:)` forgets the changed slots, so the next call reads only the slots
  /// that have changed since then.
  @Test func `the order of pending changes is updated only where slots have changed`() {
    var slots = PendingSlots<Int>()
    var ordered = OrderedSlots<Int>()
    for number in 0..<2_000 { slots.append(number) }
    #expect(ordered.elements(of: slots) == Array(0..<2_000))
    for index in [1_900, 3, 1_024, 511, 1_999, 0, 1] {
      slots[index] = nil
      ordered.noteChange(at: index)
      #expect(ordered.changed == index..<index + 1)
      #expect(ordered.elements(of: slots) == slots.elements)
      #expect(ordered.changed == nil)
    }
    for index in [1_000, 600] {
      slots[index] = -1
      ordered.noteChange(at: index)
    }
    slots.append(2_000)
    #expect(ordered.changed == 600..<1_001)
    #expect(ordered.elements(of: slots) == slots.elements)
  }

  @Test(.timeLimit(.minutes(15)))
  func `many entries can be removed one by one from the list of pending changes`() {
    var state = SyncState()
    let changes = (0..<20_000).map { save("r\($0)") }
    state.add(changes)
    var kept = state.records.slots
    for change in changes {
      state.remove([change])
      kept = state.records.slots
    }
    #expect(kept.elements.isEmpty)
  }
}
