import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` in an entity is `created_at` in the table. */
export class SnakeCaseNames extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName || propertyName.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  }
}
