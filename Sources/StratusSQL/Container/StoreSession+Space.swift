public import StratusDomain

extension StoreSession {
  public func hasUnusedSpace() throws(ServerError) -> Bool {
    try connection.hasUnusedSpace()
  }

  public func returnUnusedSpace() throws(ServerError) -> Bool {
    try connection.returnUnusedSpace()
  }
}
