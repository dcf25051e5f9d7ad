import { connect, type Socket } from 'node:net';
import { isLoopbackHost } from '../config/load-settings.js';
import { hostEntry } from '../config/setting.js';
import type { Settings } from '../config/settings.js';

type SmtpSettings = Pick<Settings, 'MAIL_URL' | 'MAIL_FROM' | 'OUTBOUND_ALLOW_INSECURE_HOSTS'>;

/** A mail with the headers that it gets from the outbox. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const CONNECT_MS = 5_000;
const SILENT_MS = 10_000;
/** Most bytes that a server may send for one mail. */
const MOST_BYTES = 256 * 1024;

/** A mail was not sent. `permanent`: the server refuses it for good. The message names no address and no content. */
export class MailRefused extends Error {
  constructor(
    reason: string,
    readonly permanent: boolean,
  ) {
    super(reason);
    this.name = 'MailRefused';
  }
}

/** Sends mails to the server of MAIL_URL, each on a connection of its own. */
export class SmtpServer {
  private readonly url: URL;
  private readonly secure: boolean;
  private readonly from: string;
  private readonly insecure: boolean;

  constructor({ MAIL_URL = '', MAIL_FROM = '', OUTBOUND_ALLOW_INSECURE_HOSTS }: SmtpSettings) {
    this.url = new URL(MAIL_URL);
    this.secure = this.url.protocol === 'smtps:';
    this.from = MAIL_FROM;
    const host = this.url.hostname;
    this.insecure =
      isLoopbackHost(host) || OUTBOUND_ALLOW_INSECURE_HOSTS.some(entry => hostEntry(entry).host === host);
  }

  /** Rejects with `MailRefused`, at the latest when `signal` is aborted. */
  async send({ id, to, subject, text }: OutgoingMail, signal: AbortSignal): Promise<void> {
    // Takes memory and time to load, and most installations start without having a mail to send.
    const { createTransport } = await import('nodemailer');
    const opened: Socket[] = [];
    const transport = createTransport({
      ...this.server,
      getSocket: (_: unknown, done: (error: Error | null, socket?: { connection: Socket }) => void) => {
        const socket = this.open(done);
        opened.push(socket);
      },
    } as Parameters<typeof createTransport>[0]);
    const stop = () => {
      for (const socket of opened) socket.destroy();
    };
    const watch = setInterval(() => {
      if (opened.some(({ bytesRead }) => bytesRead > MOST_BYTES)) stop();
    }, 250);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const aborted = new Promise<never>((_, reject) => {
        const refuse = () => reject(new MailRefused('it took too long', false));
        if (signal.aborted) refuse();
        else signal.addEventListener('abort', refuse, { once: true });
      });
      const host = this.url.hostname;
      await Promise.race([
        transport.sendMail({
          from: this.from,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${host}>`,
          // Programs that answer mails do not answer these (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        }),
        aborted,
      ]);
    } catch (error) {
      throw error instanceof MailRefused ? error : refusalOf(error as SmtpError);
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  private open(done: (error: Error | null, socket?: { connection: Socket }) => void): Socket {
    const socket = connect({ host: this.hostname, port: this.port });
    const timer = setTimeout(() => socket.destroy(new Error('connect timeout')), CONNECT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', failed);
      done(null, { connection: socket });
    });
    const failed = (error: Error) => {
      clearTimeout(timer);
      done(error);
    };
    socket.once('error', failed);
    return socket;
  }

  /** Without the brackets of an IPv6 address. */
  private get hostname(): string {
    return this.url.hostname.replace(/^\[|\]$/g, '');
  }

  private get port(): number {
    return Number(this.url.port) || (this.secure ? 465 : 587);
  }

  /**
   * Mails contain secrets, so they travel encrypted. A host of OUTBOUND_ALLOW_INSECURE_HOSTS, and this machine, may have a
   * certificate that nobody signed, or none.
   */
  private get server() {
    const { username, password } = this.url;
    return {
      host: this.hostname,
      port: this.port,
      secure: this.secure,
      requireTLS: !this.secure && !this.insecure,
      opportunisticTLS: this.insecure,
      tls: { rejectUnauthorized: !this.insecure },
      ...(username !== '' && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      dnsTimeout: CONNECT_MS,
      maxResponseSize: MOST_BYTES,
    };
  }
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Codes of errors about the mail itself. The others are about the server or about how it is used. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

function refusalOf({ code = 'ESOCKET', responseCode }: SmtpError): MailRefused {
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`;
  return new MailRefused(reason, ABOUT_THE_MAIL.has(code) && (responseCode ?? 0) >= 500);
}
