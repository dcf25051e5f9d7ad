import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that the server took. */
interface ReceivedMail {
  readonly to: string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
}

export interface MailServer {
  /** For MAIL_URL. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Waits for the nth mail to an address, the first by default. */
  mailTo(address: string, nth?: number): Promise<ReceivedMail>;
  /** The settings of a service that uses this server. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts an SMTP server on a free port of this machine. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(
          read(
            Buffer.concat(chunks).toString('latin1'),
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        );
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  const url = `smtp://127.0.0.1:${port}`;
  return {
    url,
    mails,
    environment: { MAIL_URL: url, MAIL_FROM: 'Service <no-reply@service.example>' },
    mailTo: async (address, nth = 1) => {
      for (const end = Date.now() + 10_000; Date.now() < end; ) {
        const found = mails.filter(({ to }) => to.includes(address));
        if (found.length >= nth) return found[nth - 1] as ReceivedMail;
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      throw new Error(`no mail number ${nth} to ${address}`);
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}

function read(raw: string, to: string[]): ReceivedMail {
  const split = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, split)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = raw.slice(split + 4);
  return {
    to,
    headers,
    subject: encodedWords(headers.subject ?? ''),
    text: decoded(body, headers['content-transfer-encoding'] ?? '7bit').replaceAll('\r\n', '\n'),
  };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? quoted(body.replace(/=\r\n/g, '')) : body;
}

function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047. */
function encodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quoted(word.replaceAll('_', ' ')),
    );
}
