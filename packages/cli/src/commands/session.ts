import { createClient } from '@typed-collections/client';
import { createApi } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { examples, type Run } from '../command.js';
import { originOf } from '../connection.js';
import type { Context } from '../context.js';
import { CliError, EXIT, misuse } from '../exit.js';
import { printable } from '../output/printable.js';
import type { Credential } from '../profiles/profiles.js';
import { signInWithBrowser } from '../sign-in/browser.js';
import { signInWithDevice } from '../sign-in/device.js';
import { endpointsOf, sendForm } from '../sign-in/oauth.js';

const DEFAULT_URL = 'http://localhost:3000';

interface LoginOptions {
  readonly browser: boolean;
  readonly device?: boolean;
  readonly paste?: boolean;
  readonly withKey?: boolean;
  readonly production?: boolean;
}

/** Signing in and out, and who one is. */
export function addSessionCommands(program: Command, run: Run): void {
  program
    .command('login')
    .description('sign in to a service and remember it as a profile')
    .option('--no-browser', 'print the address of the sign-in page instead of opening it')
    .option('--device', 'enter a code in a browser on another machine (for SSH)')
    .option('--paste', 'paste an access token, or pipe it to stdin')
    .option('--with-key', 'paste an API key, or pipe it to stdin')
    .option('--production', 'mark the profile: prompts show it in red')
    .addHelpText(
      ...examples('tcol login --url https://data.example.com', 'tcol login --profile staging --device'),
    )
    .action(run(login));
  program
    .command('logout')
    .description('end the sign-in and forget the profile')
    .addHelpText(...examples('tcol logout', 'tcol logout --profile staging'))
    .action(run(logout));
  program
    .command('whoami')
    .description('show who you are')
    .addHelpText(...examples('tcol whoami', 'tcol whoami -o json'))
    .action(run(whoami));
  program
    .command('status')
    .description('show whether the service is ready')
    .addHelpText(...examples('tcol status', 'TC_URL=https://data.example.com tcol status -o json'))
    .action(run(status));
  program
    .command('open')
    .argument('[path]', 'the page', '/')
    .description('open the service in a browser, signed in')
    .option('--no-browser', 'print the one-time sign-in link instead of opening it')
    .addHelpText(...examples('tcol open', 'tcol open /docs --no-browser'))
    .action(run(openPage));
  const profiles = program.command('profiles').description('list the profiles, or change the one in use');
  profiles
    .command('list', { isDefault: true })
    .description('list the profiles')
    .addHelpText(...examples('tcol profiles', 'tcol profiles list -o json'))
    .action(run(listProfiles));
  profiles
    .command('use')
    .argument('<name>', 'the profile')
    .description('make a profile the one in use')
    .addHelpText(...examples('tcol profiles use staging', 'tcol profiles use default'))
    .action(run((context: Context, _options, name: string) => context.profiles.use(name)));
}

async function login(context: Context, options: LoginOptions): Promise<void> {
  const { io, profiles } = context;
  const name = context.options.profile ?? io.env.TC_PROFILE ?? 'default';
  const known = (await profiles.find(name))?.profile;
  const url = originOf(context.options.url ?? io.env.TC_URL ?? (await askForUrl(context, known?.url)));
  if (isOpenToReaders(url))
    context.warn(`${url} is not encrypted: others on the way can read what you send.`);
  const credential = await credentialFor(context, options, url);
  await profiles.save(name, {
    url,
    production: options.production ?? known?.production ?? false,
    credential,
  });
  context.say(`Signed in to ${url} as profile "${name}".`);
}

/** True for http to another machine. */
function isOpenToReaders(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

async function credentialFor(context: Context, options: LoginOptions, url: string): Promise<Credential> {
  if (options.withKey) {
    const key = await secret(context, 'API key');
    return checked(url, { type: 'key', key }, { key });
  }
  if (options.paste) {
    const token = await secret(context, 'Access token');
    return checked(url, { type: 'token', token }, { token });
  }
  const endpoints = await endpointsOf(url);
  const { signal, io } = context;
  if (
    options.device ||
    (io.env.SSH_CONNECTION !== undefined && io.env.DISPLAY === undefined && options.browser)
  ) {
    return signInWithDevice(endpoints, {
      signal,
      show: ({ user_code, verification_uri, verification_uri_complete }) => {
        const { bold } = context.colors;
        const [page, code] = [verification_uri, user_code].map(text => bold(printable(text)));
        io.stderr.write(`Open ${page} in a browser and enter the code ${code}\n`);
        if (verification_uri_complete) context.tell(`or open ${verification_uri_complete}`);
      },
    });
  }
  return signInWithBrowser(endpoints, { signal, open: address => show(context, address, options.browser) });
}

/** The credential, if the service accepts it. */
async function checked(
  url: string,
  credential: Credential,
  options: { readonly key?: string; readonly token?: string },
): Promise<Credential> {
  await createApi(createClient({ url, ...options })).authentication.getMe();
  return credential;
}

/** Prints an address, and opens it in the browser of this machine. */
function show(context: Context, address: string, inBrowser: boolean): void {
  context.tell(
    inBrowser ? 'Opening your browser. If nothing happens, open this address:' : 'Open this address:',
  );
  context.tell(address);
  if (!inBrowser) return;
  if (!/^https?:/.test(address)) throw new CliError('The address is not one of the web.');
  import('open').then(({ default: open }) => open(address)).catch(() => undefined);
}

async function askForUrl(context: Context, known: string | undefined): Promise<string> {
  if (!context.isInteractive) {
    if (known !== undefined) return known;
    throw misuse('Which service? There is no --url.', 'Pass --url, or set TC_URL.');
  }
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({
    message: 'Address of the service',
    initialValue: known ?? DEFAULT_URL,
    output: context.io.stderr,
    signal: context.signal,
  });
  if (isCancel(answer)) throw new CliError('Nothing was changed.');
  return answer;
}

/** A secret from a hidden prompt, or from stdin. It is never an argument, which other users of the machine could see. */
async function secret({ io, isInteractive, signal }: Context, message: string): Promise<string> {
  let entered: string;
  if (isInteractive) {
    const { isCancel, password } = await import('@clack/prompts');
    const answer = await password({ message, output: io.stderr, signal });
    if (isCancel(answer)) throw new CliError('Nothing was changed.');
    entered = answer;
  } else {
    const pieces: Buffer[] = [];
    for await (const piece of io.stdin) pieces.push(Buffer.from(piece));
    entered = Buffer.concat(pieces).toString();
  }
  if (entered.trim() === '') throw misuse(`The ${message.toLowerCase()} is empty.`);
  return entered.trim();
}

async function logout(context: Context): Promise<void> {
  const stored = await context.profiles.find(context.options.profile ?? context.io.env.TC_PROFILE);
  if (stored === undefined) throw new CliError('You are not signed in.');
  const { credential, url } = stored.profile;
  await context.profiles.remove(stored.name);
  if (credential.type === 'oauth') {
    try {
      const { revocation_endpoint } = await endpointsOf(url);
      await sendForm(revocation_endpoint, { token: credential.refreshToken ?? credential.accessToken });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const message = `The profile is forgotten, but the sign-in has not ended: ${error.message}`;
      throw new CliError(message, EXIT.partly, `End it there: ${url}`);
    }
  }
  context.say(`Signed out of ${url}.`);
}

async function whoami(context: Context): Promise<void> {
  const me = await context.api.authentication.getMe();
  const { url, profile } = await context.connection();
  await context.output.value({ ...me, service: url, ...(profile !== undefined && { profile }) });
}

async function status(context: Context): Promise<void> {
  const { options, io } = context;
  const stored = await context.profiles.find(options.profile ?? io.env.TC_PROFILE);
  const url = originOf(options.url ?? io.env.TC_URL ?? stored?.profile.url ?? DEFAULT_URL);
  const began = performance.now();
  let answer: Response;
  try {
    answer = await fetch(`${url}/health/ready`, { signal: context.signal });
  } catch {
    throw new CliError(`${url} cannot be reached.`, EXIT.refused, 'Check the address and the network.');
  }
  const health = (await answer.json().catch(() => ({}))) as object;
  await context.output.value({
    service: url,
    ready: answer.ok,
    ms: Math.round(performance.now() - began),
    ...health,
  });
  if (!answer.ok) throw new CliError(`${url} is not ready.`);
}

async function openPage(
  context: Context,
  { browser }: { readonly browser: boolean },
  path: string,
): Promise<void> {
  const { url } = await context.api.authentication.mintWebSessionTicket({ redirect: path });
  if (browser) return show(context, url, true);
  await context.output.raw([`${url}\n`]);
}

async function listProfiles(context: Context): Promise<void> {
  const { current, profiles } = await context.profiles.list();
  const rows = [...profiles].map(([name, { url, production, credential }]) => ({
    ...{ name, url, production, credential: credential.type, in_use: name === current },
  }));
  await context.output.rows(rows);
}
