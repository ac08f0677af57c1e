import Synchronization

/// The properties that an app sets on an operation: values and blocks.
protocol OperationProperties {
  /// Replaces objects that the app can still change by copies.
  mutating func detach()
  /// Lets go of the blocks: most of them hold on to the operation.
  mutating func releaseBlocks()
}

extension OperationProperties {
  mutating func detach() {}
}

/// Keeps the properties of an operation twice: as the app sees them, and as the operation started
/// with them.
///
/// An app may read and set a property at any time, from any thread. The running operation reads
/// only what was taken at its start.
final class PropertyBox<Properties: OperationProperties>: StartedOnce, @unchecked Sendable {
  private let lock = Mutex(())
  private var current: Properties
  private var taken: Properties?

  init(_ properties: Properties) { current = properties }

  /// A property as the app sees it.
  subscript<Value>(property: WritableKeyPath<Properties, Value>) -> Value {
    get { locked { box in box.current[keyPath: property] } }
    set {
      var value = newValue
      // NB: the old value goes once the lock is free. With it an object may go that asks for a
      // property of this operation.
      locked { box in swap(&box.current[keyPath: property], &value) }
    }
  }

  /// The properties that the operation started with; before its start those that it has now.
  var started: Properties { locked { box in box.taken ?? box.current } }

  func take() {
    locked { box in
      guard box.taken == nil else { return }
      box.taken = box.current
      box.taken?.detach()
    }
  }

  func releaseBlocks() {
    // NB: the blocks go once the lock is free, as in the subscript.
    let old = locked { box in
      let old = (box.current, box.taken)
      box.current.releaseBlocks()
      box.taken?.releaseBlocks()
      return old
    }
    withExtendedLifetime(old) {}
  }

  private func locked<Result>(_ body: (PropertyBox) -> Result) -> Result {
    lock.withLock { _ in body(self) }
  }
}

/// What is taken at the start of an operation.
protocol StartedOnce: AnyObject, Sendable {
  /// Takes the properties as they are; only the first call counts.
  func take()
  func releaseBlocks()
}
