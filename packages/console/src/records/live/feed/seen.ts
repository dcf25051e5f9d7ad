/** The last ids that were seen, to leave out what comes twice. */
export class Seen {
  private readonly ids = new Set<string>();

  constructor(private readonly most = 10_000) {}

  /** True if the id is new. */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > this.most) this.ids.delete(this.ids.values().next().value as string);
    return true;
  }
}
