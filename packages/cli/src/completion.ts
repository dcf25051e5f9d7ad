import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command by its words, with the words and options that may follow it. */
interface Node {
  readonly words: string;
  readonly next: readonly string[];
}

/** A script that completes the commands and options of the program. */
export function scriptFor(shell: Shell, program: Command): string {
  const nodes = nodesOf(program, []);
  switch (shell) {
    case 'bash':
      return bash(nodes);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(nodes)}`;
    case 'fish':
      return fish(nodes);
  }
}

function nodesOf(command: Command, words: readonly string[]): Node[] {
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []));
  const commands = command.commands.map(each => each.name());
  return [
    { words: words.join(' '), next: [...commands, ...options] },
    ...command.commands.flatMap(each => nodesOf(each, [...words, each.name()])),
  ];
}

function bash(nodes: readonly Node[]): string {
  const cases = nodes.map(({ words, next }) => `    '${words}') next='${next.join(' ')}' ;;`).join('\n');
  return `_tcol() {
  local word words='' next=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  # Arguments follow the words of a command.
  while :; do
    case "$words" in
${cases}
    esac
    [ -n "$next" ] || [ -z "$words" ] && break
    case "$words" in *' '*) words="\${words% *}" ;; *) words='' ;; esac
  done
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tcol tcol
`;
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.map(({ words, next }) => {
    const condition =
      words === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${words.split(' ').at(-1)}`;
    return `complete -c tcol -n '${condition}' -a '${next.join(' ')}'`;
  });
  return `complete -c tcol -e\n${lines.join('\n')}\n`;
}
