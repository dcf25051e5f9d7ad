import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The languages of mails and of the pages that they link to. */
const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language that the request prefers (`Accept-Language`); English if it names none of ours. */
export function languageOf(request: Pick<Request, 'acceptsLanguages'>): Language {
  const accepted = request.acceptsLanguages([...LANGUAGES]);
  return accepted === 'fr' ? 'fr' : 'en';
}

/** Parameter of a handler: the language of the request. */
export const RequestLanguage = createParamDecorator(
  (_: unknown, context: ExecutionContext): Language => languageOf(context.switchToHttp().getRequest()),
);
