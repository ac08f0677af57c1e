#if Postgres
  import Testing

  @testable import StratusPostgres

  @Suite("Pace of signals between nodes")
  struct SignalPaceTests {
    @Test("A signal is sent at once, and again after its pause if an equal one has arrived")
    func equalSignals() {
      var pace = SignalPace<String>()
      let begins = [pace.begin("a"), pace.begin("a"), pace.begin("a")]
      #expect(begins == [true, false, false])
      let ends = [pace.endPause(of: "a"), pace.endPause(of: "a")]
      #expect(ends == [true, false])
      let beginsAgain = pace.begin("a")
      #expect(beginsAgain)
    }

    @Test("Signals that differ do not wait for each other")
    func differentSignals() {
      var pace = SignalPace<String>()
      let begins = [pace.begin("a"), pace.begin("b"), pace.begin("a")]
      #expect(begins == [true, true, false])
      let ends = [pace.endPause(of: "b"), pace.endPause(of: "a")]
      #expect(ends == [false, true])
    }
  }
#endif
