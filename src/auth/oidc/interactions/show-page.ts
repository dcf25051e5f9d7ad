import type { KoaContextWithOIDC } from 'oidc-provider';
import { documentOf, type Page, policyOf } from '../../../http/html-page.js';

/** Shows a page as the answer of oidc-provider, which has set the status. */
export function showPage(ctx: KoaContextWithOIDC, page: Page): void {
  ctx.set('Content-Security-Policy', policyOf(page));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.body = documentOf(page);
}
