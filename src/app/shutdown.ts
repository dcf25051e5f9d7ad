const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Maximum time for closing, in addition to the running requests: jobs, the pool, a checkpoint of the embedded server.
 */
const CLOSING_SECONDS = 30;

/**
 * Resources that the start has opened. They are closed in reverse order on a signal, or when the service cannot
 * continue.
 */
export class Shutdown {
  graceSeconds = 0;
  /** Undefined until the logger exists. */
  log: (fields: object, text: string) => void = () => undefined;
  /** Returns false when the reason of a failure belongs on the terminal instead. */
  logFailure: (text: string) => boolean = () => false;
  private readonly steps: (() => Promise<void>)[] = [];
  private ending: Promise<void> | undefined;

  /** True after a signal. Later failures are interruptions, not errors. */
  get signalled(): boolean {
    return this.ending !== undefined;
  }

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /**
   * Ends the process on a signal. Further signals have no effect, because npm passes on a signal that the terminal has
   * already sent. Waits for a start that is still running, so that it leaves nothing open.
   */
  onSignal(started: Promise<void>): void {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (!this.signalled) this.log({ signal }, 'a signal asks the service to stop');
        void this.end(
          0,
          started.catch(() => undefined),
        );
      });
    }
  }

  /** Logs the reason, closes everything and ends the process with status 1. */
  fail(reason: string): Promise<void> {
    const text = `The service stops: ${reason}`;
    if (this.ending === undefined && !this.logFailure(text)) process.stderr.write(`\n${text}\n\n`);
    return this.end(1, Promise.resolve());
  }

  private end(status: number, first: Promise<void>): Promise<void> {
    this.ending ??= first
      .then(() => this.close())
      .then(
        () => process.exit(status),
        error => {
          process.stderr.write(`\nThe service did not stop cleanly: ${(error as Error).message}\n\n`);
          process.exit(1);
        },
      );
    return this.ending;
  }

  private async close(): Promise<void> {
    setTimeout(() => process.exit(1), (this.graceSeconds + CLOSING_SECONDS) * 1000).unref();
    for (const step of this.steps.reverse()) await step();
    this.log({}, 'stopped');
  }
}
