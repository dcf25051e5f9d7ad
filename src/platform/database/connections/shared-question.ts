/**
 * Shares one query among concurrent callers. The result is never older than the call: calls that come while a query is
 * under way share the next query, because the server may have computed the result of the first before they came.
 */
export class SharedQuestion<T> {
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<T> | undefined;

  constructor(private readonly question: () => Promise<T>) {}

  ask(): Promise<T> {
    this.next ??= this.running.then(() => {
      this.next = undefined;
      const answer = this.question();
      this.running = answer.catch(() => undefined);
      return answer;
    });
    return this.next;
  }
}
