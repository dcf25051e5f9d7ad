import { api } from '../../api/client.js';

/** Ends the session of this browser and opens the sign-in page. */
export async function signOut(): Promise<void> {
  await api.authentication.logout();
  location.assign('/console/sign-in');
}
