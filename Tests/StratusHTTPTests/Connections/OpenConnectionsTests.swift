import Synchronization
import Testing

@testable import StratusHTTP

@Suite(.timeLimit(.minutes(15))) struct `Open connections` {
  @Test func `one task waits until all connections are closed`() async {
    let connections = OpenConnections<String>()
    let numbers = ["a", "b"].map { connections.add($0) }
    let first = Task { await connections.waitForAll { _ in } }
    while !connections.isAwaited { await LiveWire.turn() }
    // The task of a further connection ends immediately.
    let further = connections.add("c")
    await connections.waitForAll { _ in }
    for number in numbers { connections.remove(number) }
    #expect(connections.isAwaited, "a connection is still open")
    connections.remove(further)
    await first.value
  }

  @Test func `after all connections are closed, the task of the next one waits`() async {
    let connections = OpenConnections<String>()
    for name in ["a", "b"] {
      let number = connections.add(name)
      let waiting = Task { await connections.waitForAll { _ in } }
      while !connections.isAwaited { await LiveWire.turn() }
      connections.remove(number)
      await waiting.value
    }
    await connections.waitForAll { _ in }
  }

  @Test func `when the server stops, it asks every open connection to end`() async {
    let connections = OpenConnections<String>()
    let numbers = ["a", "b", "c"].map { connections.add($0) }
    connections.remove(numbers[1])
    let asked = Mutex<Set<String>>([])
    let waiting = Task {
      await connections.waitForAll { name in asked.withLock { _ = $0.insert(name) } }
    }
    while !connections.isAwaited { await LiveWire.turn() }
    waiting.cancel()
    #expect(asked.withLock { $0 } == ["a", "c"])
    for number in [numbers[0], numbers[2]] { connections.remove(number) }
    await waiting.value
  }

  @Test func `the server immediately asks a connection to end that opens while it stops`() async {
    let connections = OpenConnections<String>()
    let first = connections.add("first")
    let waiting = Task { await connections.waitForAll { _ in } }
    while !connections.isAwaited { await LiveWire.turn() }
    waiting.cancel()
    let late = connections.add("late")
    let asked = Mutex<Set<String>>([])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await connections.waitForAll { name in asked.withLock { _ = $0.insert(name) } }
    }
    await task.value
    #expect(asked.withLock { $0 }.contains("late"))
    for number in [first, late] { connections.remove(number) }
    await waiting.value
  }
}
