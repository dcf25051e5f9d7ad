import type { Response } from 'express';

/** Seconds a browser may remember that it was let in. */
const MAX_AGE = '3600';

/** Lets clients that run in a page of another origin in (Fetch standard, 3.2). Without cookies, which need a named origin. */
export function allowBrowsers(response: Response, methods: string): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Methods', methods);
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, MCP-Protocol-Version');
  response.setHeader('Access-Control-Max-Age', MAX_AGE);
  response.status(204).end();
}
