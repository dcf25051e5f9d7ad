import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SettingsError } from '../../config/load-settings.js';
import { Secrets, sealedBy } from '../../config/secrets.js';
import { MasterKey } from './keys.entity.js';

/**
 * Compares SECRETS_MASTER_KEYS with the database at every start. Hashes cannot be recomputed when a master key is
 * replaced, so the pepper of a replaced key stays in the database, encrypted with its successor.
 */
@Injectable()
export class MasterKeys implements OnModuleInit {
  constructor(
    @InjectRepository(MasterKey) private readonly rows: Repository<MasterKey>,
    private readonly secrets: Secrets,
  ) {}

  /** Runs before anything is decrypted or hashed. Stops the start when a key is missing or differs. */
  async onModuleInit(): Promise<void> {
    const known = await this.openAll();
    const unknown = this.secrets.names.filter(name => !known.includes(name));
    // Only now, so that a start with a wrong key leaves nothing in the database that needs that key.
    await this.register(unknown);
    if (unknown.length > 0) await this.openAll();
  }

  /** Returns the names of the keys that the database knows. */
  private async openAll(): Promise<string[]> {
    const rows = await this.rows.find({ order: { name: 'ASC' } });
    const problems = rows.flatMap(row => this.open(row));
    if (problems.length > 0) throw new SettingsError(problems);
    return rows.map(({ name }) => name);
  }

  private async register(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const pepper = this.secrets.pepper(name) as Buffer;
      const sealedPepper = this.secrets.encrypt(pepper.toString('base64url'), `master-key.${name}`);
      // Two instances may start for the first time at once; the second one uses the row of the first.
      await this.rows.createQueryBuilder().insert().values({ name, sealedPepper }).orIgnore().execute();
    }
  }

  /** Makes the hashes of the key verifiable. Returns problems of the settings. */
  private open({ name, sealedPepper }: MasterKey): string[] {
    const sealer = sealedBy(sealedPepper);
    if (!this.secrets.names.includes(sealer)) {
      return [
        `SECRETS_MASTER_KEYS does not contain the key ${sealer}, which encrypts secrets in the database. Add it at the end, run npm run cli -- secrets reencrypt, then remove it`,
      ];
    }
    const pepper = this.unsealed(name, sealedPepper);
    const configured = this.secrets.pepper(name);
    if (pepper === undefined || (configured !== undefined && !configured.equals(pepper))) {
      return [
        `SECRETS_MASTER_KEYS has a key named ${name} that differs from the key of this name that this database was used with. Give a new key a new name`,
      ];
    }
    this.secrets.recognise(name, pepper);
    return [];
  }

  private unsealed(name: string, sealedPepper: string): Buffer | undefined {
    try {
      return Buffer.from(this.secrets.decrypt(sealedPepper, `master-key.${name}`), 'base64url');
    } catch {
      return undefined;
    }
  }
}
