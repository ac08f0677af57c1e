import StratusDomain
import Testing

@testable import StratusSQLite

@Suite struct `The queue of a writer` {
  /// A queue, a clock, and the names of the bodies that it returns.
  private struct Scene {
    var queue = WriteQueue<Int>()
    var now: Int64 = 0
    /// The names of the bodies that were taken last.
    var taken: [String] = []

    mutating func add(_ name: String, of caller: String? = nil, isExpensive: Bool = false) {
      let origin = caller.map { WriteOrigin(caller: $0, isExpensive: isExpensive) }
      queue.add(NamedWrite(name: name, origin: origin), at: now)
    }

    /// Returns the names of the next transaction's bodies, or nil if none may run now.
    mutating func take(inOrder: Bool = false) -> [String]? {
      guard case .run(let bodies) = queue.take(at: now, inOrder: inOrder) else { return nil }
      return bodies.map { ($0 as? NamedWrite)?.name ?? "" }
    }

    /// Takes bodies, which then hold the writer for some milliseconds.
    ///
    /// - Returns: the name of the body, or nil if there were none or several.
    mutating func run(milliseconds: Int64, commit: Int64 = 0) -> String? {
      guard case .run(let bodies) = queue.take(at: now, inOrder: false) else { return nil }
      now += (milliseconds + commit) * millisecond
      queue.noteEnd(
        of: bodies, works: bodies.map { _ in milliseconds * millisecond },
        commit: commit * millisecond, at: now)
      return bodies.count == 1 ? (bodies[0] as? NamedWrite)?.name : nil
    }

    /// Returns the milliseconds for which no body may run, or takes the next bodies and returns
    /// nil.
    mutating func pause() -> Int64? {
      switch queue.take(at: now, inOrder: false) {
      case .wait(let time): return (time - now) / millisecond
      case .run(let bodies): taken = bodies.map { ($0 as? NamedWrite)?.name ?? "" }
      case .nothing: taken = []
      }
      return nil
    }
  }

  @Test func `ordinary bodies of all callers run together, in the order of their arrival`() {
    var scene = Scene()
    scene.add("a", of: "ann")
    scene.add("sweep")
    scene.add("b", of: "bob")
    #expect(scene.queue.count == 3)
    let names = scene.take()
    #expect(names == ["a", "sweep", "b"])
    let rest = scene.take()
    #expect(rest == nil)
  }

  @Test func `expensive bodies run together with others while no other caller writes`() {
    var scene = Scene()
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("small", of: "ann")
    scene.add("large 2", of: "ann", isExpensive: true)
    scene.add("large 3", of: "bob", isExpensive: true)
    // Ann's small body makes her an active caller for Bob, but not for herself.
    let first = scene.take()
    #expect(first == ["large 1", "small", "large 2"])
    let second = scene.take()
    #expect(second == ["large 3"])
  }

  @Test func `an expensive body runs alone, after the ordinary bodies that wait`() {
    var scene = Scene()
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("small 1", of: "bob")
    scene.add("large 2", of: "ann", isExpensive: true)
    scene.add("small 2", of: "bob")
    var taken = [scene.take()]
    // The body that arrives now must not delay the first expensive body further.
    scene.add("small 3", of: "bob")
    for _ in 0..<3 { taken.append(scene.take()) }
    #expect(taken == [["small 1", "small 2"], ["large 1"], ["small 3"], ["large 2"]])
  }

  @Test func `a long body of a caller is followed by a pause of the caller's expensive bodies`() {
    var scene = Scene()
    scene.add("small 1", of: "bob")
    #expect(scene.queue.count == 1)
    _ = scene.take()
    for number in 1...2 { scene.add("large \(number)", of: "ann", isExpensive: true) }
    let first = scene.run(milliseconds: 4)
    #expect(first == "large 1")
    let pause = scene.pause()
    #expect(pause == 100)
    scene.add("small 2", of: "bob")
    scene.add("small 3", of: "ann")
    scene.add("large 3", of: "eve", isExpensive: true)
    let ordinary = scene.take()
    #expect(ordinary == ["small 2", "small 3"])
    let other = scene.take()
    #expect(other == ["large 3"])
    scene.now += 100 * millisecond
    // A body of 4 ms is not short, so the next one still runs alone.
    scene.add("small 4", of: "bob")
    let ordinaryAgain = scene.take()
    #expect(ordinaryAgain == ["small 4"])
    let second = scene.take()
    #expect(second == ["large 2"])
  }

  @Test(arguments: [(3, 0), (13, 1_000), (23, 2_000), (500, 2_000)] as [(Int64, Int64)])
  func `the pause grows with the length of the body, up to two seconds`(
    _ held: Int64, _ expected: Int64
  ) {
    var scene = Scene()
    scene.add("small", of: "bob")
    _ = scene.take()
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("large 2", of: "ann", isExpensive: true)
    _ = scene.run(milliseconds: held)
    let start = scene.now
    while true {
      if let pause = scene.pause() {
        scene.now += pause * millisecond
        // Bob stays active, so the pause does not end early.
        scene.add("small", of: "bob")
      }
      if scene.taken == ["large 2"] || scene.queue.count == 0 { break }
    }
    #expect(scene.taken == ["large 2"])
    #expect(scene.now - start == expected * millisecond)
  }

  @Test func `an expensive body counts as ordinary if the last one of its caller was short`() {
    var scene = Scene()
    scene.add("small 1", of: "bob")
    _ = scene.take()
    scene.add("large 1", of: "ann", isExpensive: true)
    let first = scene.run(milliseconds: 2)
    #expect(first == "large 1")
    scene.add("large 2", of: "ann", isExpensive: true)
    scene.add("small 2", of: "bob")
    let together = scene.run(milliseconds: 50)
    #expect(together == nil && scene.queue.count == 0)
    // The second body was long, although it ran together with another one.
    scene.add("large 3", of: "ann", isExpensive: true)
    let pause = scene.pause()
    #expect(pause != nil)
  }

  @Test func `few short bodies of expensive requests run in one transaction`() {
    var scene = Scene()
    for number in 1...6 {
      scene.add("small", of: "bob")
      _ = scene.take()
      scene.add("first", of: "user \(number)", isExpensive: true)
      _ = scene.run(milliseconds: 1)
    }
    for number in 1...6 { scene.add("\(number)", of: "user \(number)", isExpensive: true) }
    scene.add("small", of: "bob")
    let first = scene.take()
    #expect(first == ["1", "2", "3", "4", "small"])
    let second = scene.take()
    #expect(second == ["5", "6"])
  }

  /// On a slow disk, every commit takes long.
  @Test(arguments: [(30, nil), (60, nil), (65, 400)] as [(Int64, Int64?)])
  func `only the time of a commit that exceeds two usual commits counts`(
    _ commit: Int64, _ expected: Int64?
  ) {
    var scene = Scene()
    scene.add("small", of: "bob")
    let small = scene.run(milliseconds: 1, commit: 30)
    #expect(small == "small")
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("large 2", of: "ann", isExpensive: true)
    let large = scene.run(milliseconds: 2, commit: commit)
    #expect(large == "large 1")
    let pause = scene.pause()
    #expect(pause == expected)
  }

  @Test func `a pause ends when no other caller has written for a second`() {
    var scene = Scene()
    scene.add("small", of: "bob")
    _ = scene.take()
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("large 2", of: "ann", isExpensive: true)
    _ = scene.run(milliseconds: 200)
    let pause = scene.pause()
    #expect(pause == 800)
    scene.now += 800 * millisecond
    let second = scene.take()
    #expect(second == ["large 2"])
  }

  @Test func `bodies that did not run come first again`() {
    var scene = Scene()
    for name in ["a", "b", "c"] { scene.add(name, of: "ann") }
    guard case .run(let bodies) = scene.queue.take(at: 0, inOrder: false) else {
      Issue.record("no body was taken")
      return
    }
    scene.add("d", of: "bob")
    scene.queue.putBack(bodies[1...])
    let names = scene.take()
    #expect(names == ["b", "c", "d"])
  }

  @Test func `a writer that closes runs all bodies in the order of their arrival`() {
    var scene = Scene()
    scene.add("small", of: "bob")
    _ = scene.take()
    scene.add("large 1", of: "ann", isExpensive: true)
    scene.add("large 2", of: "ann", isExpensive: true)
    scene.add("large 3", of: "ann", isExpensive: true)
    _ = scene.run(milliseconds: 500)
    scene.add("small 2", of: "bob")
    let names = scene.take(inOrder: true)
    #expect(names == ["large 2", "large 3", "small 2"])
  }
}

private let millisecond: Int64 = 1_000_000

/// A body that does nothing.
private final class NamedWrite: WaitingWrite {
  let name: String
  let origin: WriteOrigin?

  init(name: String, origin: WriteOrigin?) {
    self.name = name
    self.origin = origin
  }

  func attempt(on session: Int) -> ServerError? { nil }

  func finish(failure: ServerError?) {}
}
