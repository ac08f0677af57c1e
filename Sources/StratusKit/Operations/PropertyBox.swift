import Synchronization

/// The properties that an app sets on an operation: values and blocks.
protocol OperationProperties {
  /// Replaces mutable objects from the app by copies.
  mutating func detach()
  /// Releases the blocks, because most of them hold a reference to the operation.
  mutating func releaseBlocks()
}

extension OperationProperties {
  mutating func detach() {}
}

/// Stores the properties of an operation twice: the present values, and the values when the
/// operation started.
///
/// An app may read and set a property at any time, from any thread. The running operation reads
/// only the values from its start.
final class PropertyBox<Properties: OperationProperties>: StartedOnce, @unchecked Sendable {
  private let lock = Mutex(())
  private var current: Properties
  private var taken: Properties?

  init(_ properties: Properties) { current = properties }

  /// The present value of a property.
  subscript<Value>(property: WritableKeyPath<Properties, Value>) -> Value {
    get { locked { box in box.current[keyPath: property] } }
    set {
      var value = newValue
      // NB: the old value is released outside the lock, because its release may run code that reads
      // a property of this operation.
      locked { box in swap(&box.current[keyPath: property], &value) }
    }
  }

  /// The properties as they were when the operation started; before the start, the present
  /// properties.
  var started: Properties { locked { box in box.taken ?? box.current } }

  func take() {
    locked { box in
      guard box.taken == nil else { return }
      box.taken = box.current
      box.taken?.detach()
    }
  }

  func releaseBlocks() {
    // NB: the blocks are released outside the lock, as in the subscript.
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

/// Properties that are captured when an operation starts.
protocol StartedOnce: AnyObject, Sendable {
  /// Captures the present properties; only the first call has an effect.
  func take()
  func releaseBlocks()
}
