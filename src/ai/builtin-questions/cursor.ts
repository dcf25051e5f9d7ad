import type { Field } from './fields.js';
import type { Mark } from './marks.js';
import type { Role } from './role.js';

const END: Mark = { text: '' };

/** Reads marks one after the other, and back when a reading does not work out. */
export class Cursor {
  at = 0;

  constructor(private readonly marks: readonly Mark[]) {}

  get done(): boolean {
    return this.at >= this.marks.length;
  }

  peek(ahead = 0): Mark {
    return this.marks[this.at + ahead] ?? END;
  }

  get last(): Mark {
    return this.marks[this.at - 1] ?? END;
  }

  /** What has been read. */
  behind(): readonly Mark[] {
    return this.marks.slice(0, this.at);
  }

  take(): Mark {
    this.at += 1;
    return this.last;
  }

  is(...roles: readonly Role[]): boolean {
    return isRole(this.peek(), ...roles);
  }

  /** Takes the next mark if it has one of the roles. */
  accept(...roles: readonly Role[]): Mark | undefined {
    return this.is(...roles) ? this.take() : undefined;
  }

  /** Goes back to where it was when the reading gives nothing. */
  attempt<Result>(read: () => Result | undefined): Result | undefined {
    const start = this.at;
    const result = read();
    if (result === undefined) this.at = start;
    return result;
  }
}

export function isRole(mark: Mark, ...roles: readonly Role[]): boolean {
  return mark.role !== undefined && roles.includes(mark.role);
}

/** A mark that is a field and does nothing in the sentence. */
export function isField(mark: Mark): mark is Mark & { fields: readonly Field[] } {
  return mark.fields !== undefined;
}
