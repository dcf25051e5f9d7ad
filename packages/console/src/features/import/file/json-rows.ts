/** Reads records from text in pieces, each as its JSON text in one line. */
export interface JsonReader {
  read(piece: string, isLast: boolean): string[];
}

/** One JSON value in each line. Empty lines are left out. */
export class JsonLines implements JsonReader {
  private held = '';

  read(piece: string, isLast: boolean): string[] {
    const lines = (this.held + piece).split('\n');
    this.held = isLast ? '' : (lines.pop() as string);
    return lines.map(line => line.trim()).filter(line => line !== '');
  }
}

/** The elements of a JSON list, or JSON values behind each other. Only finds where they end: the service reads them. */
export class JsonElements implements JsonReader {
  private held = '';
  /** Where the scan goes on in `held`. */
  private at = 0;
  /** Where the present value begins; undefined between values. */
  private start: number | undefined;
  private depth = 0;
  private isInText = false;
  private isList: boolean | undefined;

  read(piece: string, isLast: boolean): string[] {
    this.held += piece;
    const found: string[] = [];
    for (; this.at < this.held.length; this.at += 1) this.step(this.held[this.at] as string, found);
    if (isLast) this.end(this.held.length, found);
    const kept = this.start ?? this.held.length;
    this.held = this.held.slice(kept);
    this.at -= kept;
    if (this.start !== undefined) this.start = 0;
    return found;
  }

  private step(sign: string, found: string[]): void {
    if (this.isInText) {
      if (sign === '\\') this.at += 1;
      else if (sign === '"') this.isInText = false;
      return;
    }
    if (sign === '\ufeff' || /\s/.test(sign)) {
      if (this.depth === 0) this.end(this.at, found);
      return;
    }
    if (this.depth === 0 && this.start === undefined) {
      if (sign === '[' && this.isList === undefined) {
        this.isList = true;
        return;
      }
      this.isList ??= false;
    }
    if (this.depth === 0 && (sign === ',' || (sign === ']' && this.isList))) {
      this.end(this.at, found);
      return;
    }
    this.start ??= this.at;
    if (sign === '"') this.isInText = true;
    else if (sign === '{' || sign === '[') this.depth += 1;
    else if (sign === '}' || sign === ']') {
      this.depth = Math.max(0, this.depth - 1);
      if (this.depth === 0) this.end(this.at + 1, found);
    }
  }

  private end(end: number, found: string[]): void {
    if (this.start === undefined) return;
    // Line ends stand between the parts of a value only, so they can be spaces.
    found.push(this.held.slice(this.start, end).replace(/[\r\n]+/g, ' '));
    this.start = undefined;
    this.depth = 0;
  }
}
