import { privateClient } from '../private-api.js';
import { WatchedClient, type WatchedConfig } from './watched-client.js';

/** The parser of node-postgres for what a connection receives. */
type Listener = (chunk: Buffer) => void;

const ROW = 'D'.charCodeAt(0);
/** A message begins with its type, one byte, and its length without the type, four bytes. */
const HEAD_BYTES = 5;
const NOTHING = Buffer.alloc(0);

/**
 * A connection that can return rows as bytes. node-postgres makes a string of each value, which takes more time than
 * everything that an export does with the value.
 */
export class RawRowsClient extends WatchedClient {
  /** The rows so far; undefined while node-postgres gets them. */
  private taken: Buffer[] | undefined;
  /** The beginning of the head of a message. */
  private begun: Buffer = NOTHING;
  /** Bytes left of the message whose beginning was received. */
  private left = 0;
  private isRow = false;

  constructor(config: WatchedConfig) {
    super(config);
    const { connection } = privateClient(this);
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = stream =>
      attach({
        on: (event, listener) =>
          stream.on(event, event === 'data' ? chunk => this.split(chunk, listener) : listener),
      });
  }

  /** Runs a statement. Returns its rows as they are sent: messages `DataRow`, one after the other. */
  async rawRows(text: string, values?: unknown[]): Promise<Buffer> {
    const taken: Buffer[] = [];
    this.taken = taken;
    try {
      await this.query(text, values);
    } finally {
      this.taken = undefined;
    }
    return Buffer.concat(taken);
  }

  /** Takes the rows out of a chunk, and passes everything else on. */
  private split(chunk: Buffer, pass: Listener): void {
    const bytes = this.begun.length === 0 ? chunk : Buffer.concat([this.begun, chunk]);
    let [from, at] = [0, this.left];
    while (at + HEAD_BYTES <= bytes.length) {
      const isRow = this.taken !== undefined && bytes[at] === ROW;
      if (isRow !== this.isRow) {
        this.give(bytes.subarray(from, at), pass);
        this.isRow = isRow;
        from = at;
      }
      at += 1 + bytes.readUInt32BE(at + 1);
    }
    const to = Math.min(at, bytes.length);
    this.give(bytes.subarray(from, to), pass);
    this.begun = bytes.subarray(to);
    this.left = at - to;
  }

  private give(part: Buffer, pass: Listener): void {
    if (part.length === 0) return;
    if (this.isRow) this.taken?.push(part);
    else pass(part);
  }
}
