/**
 * Puts a text on the clipboard. WebKit wants to be told at once, also of a text that is still read. Browsers refuse the
 * clipboard to pages without https: then a hidden field is copied.
 */
export async function copyText(given: string | Promise<string>): Promise<void> {
  if (navigator.clipboard !== undefined) {
    if (typeof given === 'string') return navigator.clipboard.writeText(given);
    const blob = given.then(text => new Blob([text], { type: 'text/plain' }));
    const writing = navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    // What cannot be read is the reason, not that the clipboard got nothing.
    await Promise.all([given, writing]);
    return;
  }
  const text = await given;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}

/** Saves a text as a file of the browser. */
export function saveText(text: string, fileName: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
