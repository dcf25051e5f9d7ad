const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What closing may take on top of the running requests: jobs, the pool, a checkpoint of the embedded server. */
const CLOSING_SECONDS = 30;

/** What a start has opened, closed in reverse order when a signal comes or when the service cannot go on. */
export class Shutdown {
  graceSeconds = 0;
  /** Set once there is a log. */
  log: (fields: object, text: string) => void = () => undefined;
  private readonly steps: (() => Promise<void>)[] = [];
  private ending: Promise<void> | undefined;

  /** True once a signal came: what then fails was interrupted, not wrong. */
  get signalled(): boolean {
    return this.ending !== undefined;
  }

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /**
   * Ends the process on a signal, however often it comes: npm passes on what the terminal has sent already. A
   * start that is under way is waited for, so that nothing it opens is left behind.
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

  /** Says why, closes everything and ends the process with status 1. */
  fail(reason: string): Promise<void> {
    if (this.ending === undefined) process.stderr.write(`\nThe service stops: ${reason}\n\n`);
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
