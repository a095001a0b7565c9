import { courierOn } from '../identity-service/courier.js';
import { identityStore } from '../identity-service/identity-store.js';
import { sessionStore } from '../identity-service/session-store.js';
import { clientStore } from '../oauth-service/client-store.js';
import { operatorIdentities } from '../operators.js';
import { demoClients } from './clients.js';
import { messages } from './messages.js';
import { people } from './people.js';
import { randomFrom } from './random.js';
import { sessionsOf } from './sessions.js';

const MESSAGES_MAX = 150;
/** Fills a sandbox that never was filled, in one transaction; does nothing to any other. */
export async function seedSandbox(database, options) {
  if (database.prepare("SELECT 1 FROM installation WHERE name = 'seeded'").get() !== undefined) return;
  const { deployment, schemas, now } = options;
  const random = randomFrom(options.seed);
  const operators = await operatorIdentities(random, new Date(now).toISOString());
  const clients = options.people === 0 ? [] : await demoClients(random, now);
  const identities = identityStore(database);
  const sessions = sessionStore(database, () => now);
  const courier = courierOn(database, () => now);
  const registered = clientStore(database);
  database.transaction(() => {
    for (const operator of operators) identities.insert(operator);
    for (const client of clients) registered.write(client);
    const recipients = [];
    for (const person of people(options.people, deployment, schemas, random, now)) {
      identities.insert(person.identity);
      for (const session of sessionsOf(person, deployment, random, now)) sessions.insert(session);
      const [address] = person.identity.verifiable_addresses;
      if (address && recipients.length < MESSAGES_MAX && random.chance(0.12)) recipients.push(address.value);
    }
    for (const message of messages(recipients, random, now)) courier.insert(message);
    database.prepare("INSERT INTO installation (name, value) VALUES ('seeded', '1')").run();
  })();
}
