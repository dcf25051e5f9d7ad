import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { written } from '../../harness/collection.js';
import {
  ALL,
  admin,
  type Caller,
  done,
  type Estate,
  importFile,
  left,
  mcp,
  newEstate,
  WITHDRAWALS,
  type Write,
} from './withdrawals.js';

/** Longer than a cached credential or the check after the body is valid, so that no notification is needed. */
const BOUND_MS = 5_500;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

interface Slow {
  /** Sends the last byte, and resolves with the status of the answer. */
  finish(): Promise<{ status: number; text: string }>;
}

/** Sends a request without the last byte of its body. */
async function begin(estate: Estate, write: Write, { credential }: Caller, index: number): Promise<Slow> {
  const { method = 'POST', path, body, type = 'application/json' } = write(estate);
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { port } = new URL(app.url);
  const request = httpRequest({
    ...{ host: '127.0.0.1', port, method, path, agent: false },
    headers: {
      'content-type': type,
      accept: 'application/json, text/event-stream',
      // Every second body has no Content-Length.
      ...(index % 2 === 0 && { 'content-length': bytes.length }),
      ...(credential.token !== undefined && { authorization: `Bearer ${credential.token}` }),
      ...(credential.key !== undefined && { 'x-platform-api-key': credential.key }),
      ...credential.headers,
    },
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    request.once('error', reject).once('response', response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode as number, text }));
    });
  });
  answer.catch(() => undefined);
  request.write(bytes.subarray(0, -1));
  return {
    finish: () => {
      request.end(bytes.subarray(-1));
      return answer;
    },
  };
}

describe.concurrent('rights withdrawn while a request runs', () => {
  it.each(Object.entries(WITHDRAWALS))(
    'every write is refused and nothing stored after the withdrawal of %s',
    async (_, withdrawal) => {
      const estate = await newEstate(app);
      const caller = await withdrawal(estate);
      const writes = caller.writes ?? ALL;
      // The caller had write access, so each refusal is due to the withdrawal.
      const allowed = await begin(estate, writes[0] as Write, caller, 0);
      expect((await allowed.finish()).status).toBeLessThan(300);
      const slow = await Promise.all(writes.map((write, index) => begin(estate, write, caller, index)));
      await pause(300);
      await caller.withdraw(app);
      const before = await left(estate);
      await pause(BOUND_MS);
      for (const [index, each] of slow.entries()) {
        const { status, text } = await each.finish();
        const name = `${(writes[index] as Write).name}: ${text}`;
        if (writes[index] !== mcp || status !== 200) expect([401, 403, 404], name).toContain(status);
        else expect(text).toMatch(/CollectionNotFound|Forbidden/);
      }
      expect(await left(estate)).toEqual(before);
    },
    60_000,
  );

  it('a caller who still has write access succeeds, however long the body takes', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    const caller = { credential: { token: member.token }, withdraw: async () => undefined };
    const slow = await Promise.all(ALL.map((write, index) => begin(estate, write, caller, index)));
    await pause(BOUND_MS);
    for (const [index, each] of slow.entries()) {
      const { status, text } = await each.finish();
      expect([200, 201], `${(ALL[index] as Write).name}: ${text}`).toContain(status);
    }
  }, 60_000);

  it('an import ends before the end of its file', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    const { port } = new URL(app.url);
    const request = httpRequest({
      ...{ host: '127.0.0.1', port, method: 'POST', path: `${estate.collection.path}/import`, agent: false },
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` },
    });
    const answered = once(request, 'response');
    request.write('n\n1\n');
    await pause(300);
    await done(app, 'DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    request.write('2\n3\n');
    const [response] = await answered;
    expect([401, 403, 404]).toContain(response.statusCode);
    request.destroy();
    expect((await written(app, estate.collection))[0]).toBe(0);
  }, 60_000);

  it('a retry of an import gets no stored response', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    const headers = { 'idempotency-key': randomUUID() };
    const caller = { credential: { token: member.token, headers }, withdraw: async () => undefined };
    const first = await (await begin(estate, importFile, caller, 0)).finish();
    expect(first.status).toBe(200);
    const slow = await Promise.all([0, 1].map(index => begin(estate, importFile, caller, index)));
    const kept = await (await begin(estate, importFile, caller, 0)).finish();
    expect(kept).toEqual(first);
    await done(app, 'DELETE', `${estate.collection.path}/access/user/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    for (const each of slow) {
      const { status, text } = await each.finish();
      expect([401, 403, 404], text).toContain(status);
    }
  }, 60_000);

  it('an export is aborted', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    for (let batch = 0; batch < 4; batch++) {
      const records = Array.from({ length: 900 }, () => ({ text: randomBytes(5_000).toString('hex') }));
      await done(app, 'POST', `${estate.collection.data}/bulk`, { ...estate.owner, body: { records } });
    }
    const { port } = new URL(app.url);
    const request = httpRequest({
      ...{ host: '127.0.0.1', port, path: `${estate.collection.path}/export`, agent: false },
      headers: { authorization: `Bearer ${member.token}` },
    });
    request.end();
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    await done(app, 'DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of response) received += chunk.length;
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(received).toBeLessThan(30_000_000);
  }, 60_000);

  it('a malformed body is refused for the missing right, not for its content', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    const caller = { credential: { token: member.token }, withdraw: async () => undefined };
    const malformed: Write = ({ collection }) => ({
      path: collection.data,
      body: { stranger: randomUUID() },
    });
    const slow = await begin(estate, malformed, caller, 0);
    await pause(300);
    await done(app, 'DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    const { status, text } = await slow.finish();
    expect([401, 403, 404]).toContain(status);
    expect(text).not.toContain('stranger');
  }, 60_000);
});
