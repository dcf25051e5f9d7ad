import type { IncomingMessage } from 'node:http';
import { FORM_MEDIA_TYPE } from '../../http/form-body.js';
import { validated } from '../../http/validation.pipe.js';
import { invalid } from '../../kernel/errors.js';
import { ExchangeTokenBody } from './token-exchange.dto.js';

/**
 * What an exchange asks for; `most` bounds expiresAfter. Throws 400 for anything malformed. A form's fields are texts,
 * as those of a query are. Checked here, since a strategy runs before the pipes.
 */
export function exchangeBody(
  { body, headers }: Pick<IncomingMessage, 'headers'> & { readonly body: unknown },
  most: number,
): ExchangeTokenBody {
  const isForm = headers['content-type']?.trimStart().toLowerCase().startsWith(FORM_MEDIA_TYPE) ?? false;
  const asked = validated(ExchangeTokenBody, body, isForm);
  if (asked.expiresAfter !== undefined && asked.expiresAfter > most) {
    throw invalid(`expiresAfter: expects a whole number from 60 to ${most}`);
  }
  return asked;
}
