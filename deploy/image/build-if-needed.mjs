// In the image everything is built. `npm run cli` and `npm run migrate`, which run this first, work there too.
