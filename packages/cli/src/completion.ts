import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command by its words, with what may follow: commands, options, and values of its arguments. */
interface Node {
  readonly words: readonly string[];
  readonly next: readonly string[];
}

/** The values of an option, by its flags. */
interface Choices {
  readonly flags: readonly string[];
  readonly values: readonly string[];
}

/** A script that completes the commands and options of the program. */
export function scriptFor(shell: Shell, program: Command): string {
  const nodes = nodesOf(program, [], []);
  const choices = choicesOf(program);
  switch (shell) {
    case 'bash':
      return bash(nodes, choices);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(nodes, choices)}`;
    case 'fish':
      return fish(nodes, choices);
  }
}

/** Options of the program may follow all commands. */
function nodesOf(command: Command, words: readonly string[], inherited: readonly string[]): Node[] {
  const options = [
    ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])),
    ...inherited,
  ];
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const commands = command.commands.map(each => each.name());
  return [
    { words, next: [...commands, ...values, ...options] },
    ...command.commands.flatMap(each => nodesOf(each, [...words, each.name()], options)),
  ];
}

/** Options of one name have the same values in all commands. */
function choicesOf({ options, commands }: Command): Choices[] {
  const own = options.flatMap(({ short, long, argChoices }) =>
    argChoices === undefined
      ? []
      : [{ flags: [short, long].filter(each => each != null), values: argChoices }],
  );
  return [...own, ...commands.flatMap(choicesOf)];
}

function bash(nodes: readonly Node[], choices: readonly Choices[]): string {
  const values = choices.map(
    each =>
      `    ${each.flags.join('|')}) COMPREPLY=($(compgen -W '${each.values.join(' ')}' -- "$last")); return ;;`,
  );
  const cases = nodes.map(({ words, next }) => `      '${words.join(' ')}') next='${next.join(' ')}' ;;`);
  return `_tcol() {
  local word words='' next='' last="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${[...new Set(values)].join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  # Arguments follow the words of a command.
  while :; do
    case "$words" in
${cases.join('\n')}
    esac
    [ -n "$next" ] || [ -z "$words" ] && break
    case "$words" in *' '*) words="\${words% *}" ;; *) words='' ;; esac
  done
  COMPREPLY=($(compgen -W "$next" -- "$last"))
}
complete -o default -F _tcol tcol
`;
}

function fish(nodes: readonly Node[], choices: readonly Choices[]): string {
  const lines = nodes.map(({ words, next }) => {
    const seen = words.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ');
    return `complete -c tcol -n '${seen || '__fish_use_subcommand'}' -a '${next.join(' ')}'`;
  });
  const values = choices.map(({ flags, values }) => {
    const names = flags.map(flag => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
    return `complete -c tcol ${names.join(' ')} -x -a '${values.join(' ')}'`;
  });
  return `complete -c tcol -e\n${[...lines, ...new Set(values)].join('\n')}\n`;
}
