import type { Readable, Writable } from 'node:stream';
import {
  type AnyCollection,
  type ApiRequest,
  Collection,
  type Transport,
  VERSION,
} from '@typed-collections/client';
import { type Api, createApi } from '@typed-collections/client/api';
import pc from 'picocolors';
import { type Connection, connectionOf, transportOf } from './connection.js';
import { CliError, EXIT, misuse } from './exit.js';
import { FORMATS, type Format, Output } from './output/output.js';
import { printable, printableLines } from './output/printable.js';
import { type Row, tableOf } from './output/table.js';
import { Profiles } from './profiles/profiles.js';

/** The options that every command has. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly url?: string;
  readonly output?: Format;
  readonly out?: string;
  readonly quiet?: boolean;
  readonly yes?: boolean;
}

/** What the program reads and writes. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
}

const DEFAULT_WIDTH = 100;

/** Everything that a command needs: the client, the output, and the person at the terminal. */
export class Context {
  readonly profiles: Profiles;
  private connected: Promise<Connection> | undefined;
  private sender: Promise<Transport> | undefined;

  constructor(
    readonly io: Io,
    readonly options: GlobalOptions,
    /** Aborts when the person presses Ctrl-C. */
    readonly signal: AbortSignal,
  ) {
    this.profiles = new Profiles(io.env);
  }

  /** Prints data: on a terminal as a table, in a pipe as NDJSON, unless `-o` says otherwise. */
  get output(): Output {
    const { stdout } = this.io;
    const { out: file, output } = this.options;
    const format = output ?? (file === undefined ? (stdout.isTTY ? 'table' : 'ndjson') : formatOf(file));
    const color = file === undefined && hasColor(stdout, this.io.env);
    const isTerminal = file === undefined && stdout.isTTY === true;
    return new Output(stdout, format, { file, color, isTerminal, width: stdout.columns ?? DEFAULT_WIDTH });
  }

  /** Colors for what goes to stderr. */
  get colors(): ReturnType<typeof pc.createColors> {
    return pc.createColors(hasColor(this.io.stderr, this.io.env));
  }

  /** True if a person can answer questions. */
  get isInteractive(): boolean {
    return this.io.stdin.isTTY === true && this.io.stderr.isTTY === true;
  }

  /** True if a line on stderr can show how far a transfer is. */
  get showsProgress(): boolean {
    return this.io.stderr.isTTY === true && !this.options.quiet;
  }

  /** Tells the person something, unless they want quiet. */
  readonly say = (text: string): void => {
    if (!this.options.quiet) this.tell(text);
  };

  warn(text: string): void {
    this.io.stderr.write(`${this.colors.yellow('warning:')} ${printableLines(text)}\n`);
  }

  /** Writes to stderr what the person must see, also with --quiet. Texts of the service cannot act on the terminal. */
  readonly tell = (text: string): void => {
    this.io.stderr.write(`${printableLines(text)}\n`);
  };

  /** Shows rows to the person before they are asked about them. */
  show(rows: readonly Row[]): void {
    const width = this.io.stderr.columns ?? DEFAULT_WIDTH;
    this.io.stderr.write(`${tableOf(rows, Object.keys(rows[0] ?? {}), { color: false, width })}\n`);
  }

  /** Asks before a write. Without a person to ask, `--yes` is needed. */
  async confirm(question: string): Promise<void> {
    if (this.options.yes) return;
    if (!this.isInteractive) throw misuse(`${question} Nobody is there to answer.`, 'Pass --yes to do it.');
    const { profile, production, url } = await this.connection();
    const place = profile ?? new URL(url).host;
    const { bold, red, cyan } = this.colors;
    const shown = production ? bold(red(`${place} (production)`)) : cyan(place);
    const { confirm, isCancel } = await import('@clack/prompts');
    const answer = await confirm({
      message: `${shown}: ${printable(question)}`,
      initialValue: false,
      output: this.io.stderr,
      signal: this.signal,
    });
    if (isCancel(answer)) throw new CliError('Nothing was changed.', EXIT.interrupted);
    if (!answer) throw new CliError('Nothing was changed.');
  }

  /** The operations that are not about records. */
  get api(): Api {
    return createApi(this);
  }

  /** The records of a collection, by its name or id. */
  collection(name: string): Collection<AnyCollection> {
    return new Collection(this.transport, name);
  }

  /**
   * Sends requests as the person whom the command line, the environment or the profile names; the first request finds out
   * who that is. Ctrl-C ends a request.
   */
  readonly transport: Transport = {
    request: async sent => (await this.senderOnce()).request(this.interruptible(sent)),
    send: async sent => (await this.senderOnce()).send(this.interruptible(sent)),
    stream: async sent => (await this.senderOnce()).stream(this.interruptible(sent)),
  };

  private interruptible(request: ApiRequest): ApiRequest {
    return { ...request, signal: request.signal ?? this.signal };
  }

  private senderOnce(): Promise<Transport> {
    this.sender ??= this.connection().then(connection =>
      transportOf(connection, this.profiles, {
        onRetry: ({ attempt, error, delayMs }) => {
          const wait = Math.ceil(delayMs / 1000);
          this.say(`Attempt ${attempt} failed (${error.message}); trying again in ${wait} s.`);
        },
        onOlderService: version =>
          this.warn(
            `tcol ${VERSION} is newer than the service (${version}), which may refuse some commands.`,
          ),
      }),
    );
    return this.sender;
  }

  /** TC_URL, TC_KEY and TC_TOKEN before the profile. */
  connection(): Promise<Connection> {
    this.connected ??= connectionOf(this.options, this.io.env, this.profiles);
    return this.connected;
  }
}

function formatOf(file: string): Format {
  const extension = file.replace(/\.gz$/i, '').replace(/^.*\./, '');
  return FORMATS.find(format => format === extension) ?? 'ndjson';
}

function hasColor(
  stream: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv,
): boolean {
  if (NO_COLOR) return false;
  return Boolean(FORCE_COLOR) || (stream.isTTY === true && TERM !== 'dumb');
}
