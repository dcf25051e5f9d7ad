/**
 * One question for all who ask at the same time. Its answer is newer than each of theirs: who comes while it is under way
 * gets the next one, since this one may have been answered before.
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
