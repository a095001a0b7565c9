import { malformed, noSuchResource } from './identity-errors.js';
export function identitySchemas(all) {
  const find = (id) => all.find((schema) => schema.id === id);
  return {
    all,
    ofIdentity: (schemaId) => {
      const schema = schemaId ? find(schemaId) : all[0];
      if (schema === undefined) throw malformed(`Unable to find JSON Schema ID: ${schemaId}`);
      return schema;
    },
    named: (name) => {
      const schema = find(name) ?? find(Buffer.from(name, 'base64url').toString());
      if (schema === undefined) throw noSuchResource(`Identity schema \`${name}\` could not be found.`);
      return schema;
    },
  };
}
