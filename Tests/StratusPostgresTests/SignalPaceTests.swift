#if Postgres
  import Testing

  @testable import StratusPostgres

  @Suite struct `Pace of signals` {
    @Test func `a signal is sent at once, and after its pause if an equal one has arrived`() {
      var pace = SignalPace<String>()
      let begins = [pace.begin("a"), pace.begin("a"), pace.begin("a")]
      #expect(begins == [true, false, false])
      let ends = [pace.endPause(of: "a"), pace.endPause(of: "a")]
      #expect(ends == [true, false])
      let beginsAgain = pace.begin("a")
      #expect(beginsAgain)
    }

    @Test func `signals that differ do not wait for each other`() {
      var pace = SignalPace<String>()
      let begins = [pace.begin("a"), pace.begin("b"), pace.begin("a")]
      #expect(begins == [true, true, false])
      let ends = [pace.endPause(of: "b"), pace.endPause(of: "a")]
      #expect(ends == [false, true])
    }
  }
#endif
