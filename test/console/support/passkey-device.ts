import type { CDPSession, Page } from 'playwright-core';

interface DeviceOptions {
  /**
   * True if the browser offers passkeys at fields. This device then confirms the first one by itself, as soon as a page
   * has such a field. Default: false.
   */
  readonly offersAtFields?: boolean;
}

/** A device that keeps passkeys and confirms every prompt of a page: the virtual authenticator of Chromium. */
export class PasskeyDevice {
  private constructor(
    private readonly cdp: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** Connects a device to a page. Open the page again if it had asked before what the browser can do. */
  static async of(page: Page, { offersAtFields = false }: DeviceOptions = {}): Promise<PasskeyDevice> {
    if (!offersAtFields) {
      await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    }
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return new PasskeyDevice(cdp, authenticatorId);
  }

  /** From now on the person does not confirm. */
  async refuse(): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  }

  /** From now on the person confirms again. */
  async confirm(): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  }

  /** Removes every passkey, as another device would have none. */
  async clear(): Promise<void> {
    await this.cdp.send('WebAuthn.clearCredentials', { authenticatorId: this.authenticatorId });
  }
}
