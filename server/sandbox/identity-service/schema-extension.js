import { normalised } from './identity-document.js';
export function deriveFromTraits(schema, traits) {
  const found = {
    password: new Set(),
    code: new Set(),
    verify: new Set(),
    recover: new Set(),
  };
  const visit = (part, value) => {
    if (part === undefined || value === undefined) return;
    const extension = part['ory.sh/kratos'];
    if (extension !== undefined && typeof value === 'string' && value !== '') {
      if (extension.credentials?.password?.identifier) found.password.add(normalised(value));
      if (extension.credentials?.code?.identifier) found.code.add(normalised(value));
      if (extension.verification?.via === 'email') found.verify.add(normalised(value));
      if (extension.recovery?.via === 'email') found.recover.add(normalised(value));
    }
    if (Array.isArray(value)) for (const item of value) visit(part.items, item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(part.properties?.[name], member);
  };
  visit(schema.properties?.traits, traits);
  return {
    passwordIdentifiers: [...found.password],
    codeIdentifiers: [...found.code],
    verifiable: [...found.verify],
    recovery: [...found.recover],
  };
}
