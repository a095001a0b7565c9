/** A body without any of these tags is plain text, even if it contains angle brackets. */
const MARKUP =
  /<(?:!doctype\s+html|\/?(?:html|head|body|table|tr|td|div|span|p|br|a|img|h[1-6]|ul|ol|li|b|strong|i|em|center|font|style)(?:\s[^<>]*)?\/?)>/i;

export const isHtml = (body: string): boolean => MARKUP.test(body);
