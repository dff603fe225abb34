// As a part of somebody else's page: text and answer alone, and nothing kept.

export const embedded = new URLSearchParams(location.search).has('embed');
