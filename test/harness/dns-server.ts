import { createSocket, type RemoteInfo } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** Response codes of RFC 1035, 4.1.1. */
const [NO_ERROR, SERVER_FAILURE, NAME_ERROR] = [0, 2, 3];
const TXT = 16;
/** The maximum length of a character-string in a TXT record (RFC 1035, 3.3). */
const MAX_STRING = 255;

/** A name server on loopback that serves TXT records over UDP. */
export interface DnsServer {
  /** `address:port`, for DNS_SERVERS. */
  readonly address: string;
  /** Values by name. Names without an entry do not exist. */
  readonly records: Map<string, readonly string[]>;
  /** Names that were queried. */
  readonly asked: string[];
  /** Responds to every query with SERVFAIL. */
  failing: boolean;
  /** Responses wait for this promise. */
  gate: Promise<void>;
  close(): void;
}

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  const server: DnsServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    ...{ records: new Map(), asked: [], failing: false, gate: Promise.resolve() },
    close: () => socket.close(),
  };
  socket.on('message', async (query: Buffer, { address, port }: RemoteInfo) => {
    const { name, end } = questionOf(query);
    server.asked.push(name);
    await server.gate;
    const values = server.records.get(name);
    const code = server.failing ? SERVER_FAILURE : values === undefined ? NAME_ERROR : NO_ERROR;
    const answers = code === NO_ERROR ? (values ?? []) : [];
    socket.send(answer(query.subarray(0, 2), query.subarray(12, end), code, answers), port, address);
  });
  return server;
}

/** The name in lower case, since resolvers mix the case at random, and the offset at which the question ends. */
function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function answer(id: Buffer, question: Buffer, code: number, values: readonly string[]): Buffer {
  const header = Buffer.alloc(10);
  // Flags: response, recursion desired, recursion available.
  header.writeUInt16BE(0x8180 | code, 0);
  header.writeUInt16BE(1, 2);
  header.writeUInt16BE(values.length, 4);
  return Buffer.concat([id, header, question, ...values.map(txtRecord)]);
}

function txtRecord(value: string): Buffer {
  const strings = (value.match(new RegExp(`.{1,${MAX_STRING}}`, 'g')) ?? ['']).map(part =>
    Buffer.from(`${String.fromCharCode(part.length)}${part}`, 'latin1'),
  );
  const data = Buffer.concat(strings);
  const head = Buffer.alloc(12);
  // A pointer to the name in the question (RFC 1035, 4.1.4).
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
