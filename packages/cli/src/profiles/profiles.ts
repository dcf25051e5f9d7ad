import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { CliError } from '../exit.js';
import { withLock } from './lock.js';

/** How a profile proves who it is. */
export type Credential =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'token'; readonly token: string }
  | {
      readonly type: 'oauth';
      readonly accessToken: string;
      /** Each refresh token works once. */
      readonly refreshToken: string | undefined;
      /** Milliseconds since 1970 after which the access token is void. */
      readonly expiresAt: number;
    };

/** One environment: an address and a credential for it. */
export interface Profile {
  readonly url: string;
  /** Prompts show production in another color. */
  readonly production: boolean;
  readonly credential: Credential;
}

interface File {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const NOTHING: File = { current: 'default', profiles: {} };

/** The profiles of this person, in a file that only they can read. */
export class Profiles {
  private readonly path: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.path = join(
      env.TC_CONFIG_DIR ?? envPaths('typed-collections', { suffix: '' }).config,
      'profiles.json',
    );
  }

  async list(): Promise<{ readonly current: string; readonly profiles: ReadonlyMap<string, Profile> }> {
    const { current, profiles } = await this.read();
    return { current, profiles: new Map(Object.entries(profiles)) };
  }

  /** The profile of this name, or the one in use. */
  async find(
    name: string | undefined,
  ): Promise<{ readonly name: string; readonly profile: Profile } | undefined> {
    const { current, profiles } = await this.list();
    const wanted = name ?? current;
    const profile = profiles.get(wanted);
    return profile && { name: wanted, profile };
  }

  /** Stores a profile and makes it the one in use. */
  save(name: string, profile: Profile): Promise<void> {
    return this.change(({ profiles }) => ({ current: name, profiles: { ...profiles, [name]: profile } }));
  }

  /** Makes a profile the one in use. */
  use(name: string): Promise<void> {
    return this.change(file => {
      if (!Object.hasOwn(file.profiles, name)) throw unknown(name, file);
      return { ...file, current: name };
    });
  }

  remove(name: string): Promise<void> {
    return this.change(({ current, profiles: { [name]: _removed, ...profiles } }) => ({ current, profiles }));
  }

  /**
   * Replaces the credential of a profile. `renew` gets the stored one, which another process may have renewed meanwhile.
   * The file stays locked until it is done, because a refresh token that two processes use ends the sign-in.
   */
  async renew(name: string, renew: (credential: Credential) => Promise<Credential>): Promise<Credential> {
    let renewed: Credential | undefined;
    await this.change(async file => {
      const profile = file.profiles[name];
      if (profile === undefined) throw unknown(name, file);
      renewed = await renew(profile.credential);
      return { ...file, profiles: { ...file.profiles, [name]: { ...profile, credential: renewed } } };
    });
    return renewed as Credential;
  }

  private async change(change: (file: File) => File | Promise<File>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await withLock(`${this.path}.lock`, async () => {
      const text = `${JSON.stringify(await change(await this.read()), null, 2)}\n`;
      // A reader never sees half a file, and a crash leaves the old one.
      const fresh = `${this.path}.${process.pid}`;
      await writeFile(fresh, text, { mode: 0o600 });
      await chmod(fresh, 0o600);
      await rename(fresh, this.path);
    });
  }

  private async read(): Promise<File> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
      throw error;
    }
    try {
      return { ...NOTHING, ...JSON.parse(text) };
    } catch {
      throw new CliError(`${this.path} is not valid JSON.`, 1, 'Mend it, or delete it and run: tcol login');
    }
  }
}

function unknown(name: string, { profiles }: File): CliError {
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'There is none yet.' : `There are: ${names.join(', ')}.`;
  return new CliError(`There is no profile "${name}". ${known}`, 2, `Run: tcol login --profile ${name}`);
}
