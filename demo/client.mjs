// @ts-check

/**
 * Attempts after a 429 or a 503, which state in Retry-After how many seconds to wait. After more the demo assumes
 * an outage.
 */
const MAX_TRIES = 5;

/**
 * @typedef {{ method: string, path: string, body?: unknown }} Call
 * @typedef {{ status: number, body: any }} Answer
 * @typedef {{ call: Call, answer: Answer }} Exchange
 */

/** The public API with one credential, called as any client outside this repository would call it. */
export class Client {
  /**
   * @param {string} url
   * @param {Record<string, string>} credential header and value
   */
  constructor(url, credential) {
    this.url = url;
    this.credential = credential;
  }

  /**
   * Sends a call that has to succeed and returns its answer.
   * @param {Call} call
   * @returns {Promise<any>}
   */
  async call(call) {
    const { status, body } = await this.send(call);
    if (status < 300) return body;
    throw new Error(`${call.method} ${call.path} answered ${status} ${body?.error}: ${body?.message}`);
  }

  /**
   * Sends a call and returns its answer, whatever the status.
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async send({ method, path, body }, tries = 1) {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...this.credential, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const wait = Number(response.headers.get('retry-after'));
    if ([429, 503].includes(response.status) && wait > 0 && tries < MAX_TRIES) {
      await new Promise(resolve => setTimeout(resolve, wait * 1000));
      return this.send({ method, path, body }, tries + 1);
    }
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  /**
   * Reads all records of a query, page by page by cursor.
   * @param {string} collection path of the collection
   * @param {object} query
   * @returns {Promise<any[]>}
   */
  async all(collection, query) {
    const records = [];
    for (let cursor = ''; cursor !== null; ) {
      const page = await this.call({
        method: 'POST',
        path: `${collection}/data/query`,
        body: { ...query, limit: 100, cursor },
      });
      records.push(...page.records);
      cursor = page.next_cursor;
    }
    return records;
  }
}
