import type { CallToolResult } from '@modelcontextprotocol/server';

/** The result of a tool call. */
export interface ToolResult {
  /** The text for the model. */
  readonly text: string;
  /** The structured content as JSON text, which is part of `text` too; undefined for an error. */
  readonly data?: string;
}

/** The result as the SDK takes it. */
export function callToolResult({ text, data }: ToolResult): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  return data === undefined ? { content, isError: true } : { content, structuredContent: JSON.parse(data) };
}

/**
 * The same as JSON text, with the members of `more`. A page of records is not parsed and serialized again, which takes
 * longer than to read it.
 */
export function resultJson({ text, data }: ToolResult, more: object): string {
  const content = [{ type: 'text', text }];
  const first = JSON.stringify(data === undefined ? { content, isError: true } : { content }).slice(0, -1);
  const structured = data === undefined ? '' : `,"structuredContent":${data}`;
  const last = JSON.stringify(more).slice(1);
  return `${first}${structured}${last === '}' ? '' : ','}${last}`;
}
