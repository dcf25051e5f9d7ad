import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { JsonText } from '../kernel/json.js';

/** Nest on Express, with one addition: JSON that is already text goes out untouched, not parsed or hashed. */
export class PlatformAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!(body instanceof JsonText)) return super.reply(response, body, statusCode);
    response.writeHead(statusCode ?? response.statusCode, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body.text),
    });
    return response.end(body.text);
  }
}
