import { describe, expect, it } from 'vitest';
import { documentOf, html, policyOf } from './html-page.js';

const evil = `<script>alert("1")</script>'&`;

describe('a page', () => {
  it('escapes texts, whatever they contain', () => {
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
      `<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">` +
        '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</p>',
    );
    expect(documentOf({ title: evil, main: html`` })).not.toContain('<script');
  });

  it('inserts HTML unchanged, one piece or many', () => {
    expect(html`<ul>${[html`<li>a</li>`, html`<li>b</li>`]}</ul>${html`<hr>`}`.text).toBe(
      '<ul><li>a</li><li>b</li></ul><hr>',
    );
  });

  it('states its language and has one heading', () => {
    const text = documentOf({ title: 'Allow access', main: html`<p>x</p>` });
    expect(text).toContain('<html lang="en">');
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });

  it('runs no script, loads nothing, and its forms have only the stated targets', () => {
    const policy = policyOf({ title: 'x', main: html``, formTargets: ['https://app.example.com'] });
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script');
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("form-action 'self' https://app.example.com;");
    expect(policyOf({ title: 'x', main: html`` })).toContain("form-action 'self';");
  });
});
