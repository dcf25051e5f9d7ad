import { SETTINGS } from './settings.js';

/** The text of `.env.example`: every setting, commented out, with its meaning and its default or an example. */
export function envExample(): string {
  const groups = Object.entries(SETTINGS).map(([title, group]) => {
    const lines = Object.entries(group).map(
      ([name, setting]) => `# ${setting.doc}\n# ${name}=${setting.example}\n`,
    );
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  return `# Every setting of Typed Collections with its meaning, and its default or an example. Copy this file to .env and\n# uncomment what you change.\n\n${groups.join('\n')}`;
}
